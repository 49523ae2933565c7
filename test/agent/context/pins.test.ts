import assert from "node:assert/strict";
import { test } from "node:test";
import { extractPins, fitPins } from "../../../src/agent/context/pins.ts";
import type { Pin } from "../../../src/core/session.ts";
import { Branch } from "./branch.ts";

test("the first message and each new task are goals; other words are kept exactly [L6]", () => {
  const pins = extractPins(
    new Branch()
      .user("The importer loses rows.\nFind out why.")
      .says("Which file?")
      .user("yes, exactly   that one, “data-07.csv”")
      .says("Found it.")
      .user("Now write a test for it.").entries,
    [],
  );
  assert.deepEqual(textsOf(pins, "goal"), ["The importer loses rows.\nFind out why.", "Now write a test for it."]);
  assert.deepEqual(textsOf(pins, "words"), ["yes, exactly   that one, “data-07.csv”"]);
});

test("demands are found sentence by sentence, in English and Korean, but not in code or quotations [L6]", () => {
  const pins = extractPins(
    new Branch().user(
      [
        "Look at the store.",
        "It must stay compatible with v1. The weather is fine. Never touch migrations!",
        "- don't add dependencies",
        "> you must not see this quotation",
        "```",
        "always(code)",
        "```",
        "테스트는 반드시 실제 파일을 사용해. 절대 목을 쓰지 마. 오늘은 춥다.",
      ].join("\n"),
    ).entries,
    [],
  );
  assert.deepEqual(textsOf(pins, "constraint"), [
    "It must stay compatible with v1.",
    "Never touch migrations!",
    "don't add dependencies",
    "테스트는 반드시 실제 파일을 사용해.",
    "절대 목을 쓰지 마.",
  ]);
});

test("files come from the paths of calls and from commands; a file touched again is among the latest [L6]", () => {
  const branch = new Branch().user("Go.").does([
    { tool: "read", input: { file_path: "src/a.ts" }, result: "…" },
    {
      tool: "bash",
      input: { command: "npx tsc -p . && node --test test/b.test.ts > out.log; curl https://example.org/x/y.json" },
      result: "",
    },
    { tool: "call_tool", input: { tool: "edit", input: { file_path: "docs/c.md" } }, result: "" },
    { tool: "edit", input: { file_path: "src/a.ts" }, result: "" },
  ]);
  assert.deepEqual(textsOf(extractPins(branch.entries, []), "file"), [
    "test/b.test.ts",
    "out.log",
    "docs/c.md",
    "src/a.ts",
  ]);
});

test("what is open is pinned until it is ticked; decisions are pinned; answers to a question are words [L6]", () => {
  const pins = extractPins(
    new Branch()
      .user("Plan it.")
      .says("- [ ] write the parser\n- [ ] write the tests\nWe decided to use SQLite. Shall I keep the old format?")
      .does([{ tool: "ask_user", input: { question: "Keep?" }, result: "User answered: keep it for a year" }])
      .says("- [x] write the parser").entries,
    [],
  );
  assert.deepEqual(textsOf(pins, "open"), ["write the tests", "Shall I keep the old format?"]);
  assert.deepEqual(textsOf(pins, "decision"), ["We decided to use SQLite."]);
  assert.deepEqual(textsOf(pins, "words"), ["keep it for a year"]);
});

test("earlier pins are carried on once each [L6]", () => {
  const first = extractPins(new Branch().user("Fix it. Never use mocks.").entries, []);
  const second = extractPins(new Branch().user("Never use mocks.").user("and be quick").entries, first);
  assert.deepEqual(second.slice(0, first.length), first);
  assert.deepEqual(textsOf(second, "constraint"), ["Never use mocks."]);
  assert.deepEqual(textsOf(second, "words"), ["and be quick"]);
});

test("over budget decisions yield first, then what is open, files and words; goals and demands never [L6]", () => {
  const make = (kind: Pin["kind"]): Pin[] =>
    Array.from({ length: 5 }, (_, index) => ({ kind, text: `${kind} ${index} ${"some more words ".repeat(6)}` }));
  const all = (["goal", "constraint", "file", "words", "open", "decision"] as const).flatMap(make);
  const counts = (budget: number): Record<string, number> => {
    const kept = fitPins(all, budget);
    return Object.fromEntries(
      ["goal", "constraint", "file", "words", "open", "decision"].map((kind) => [kind, textsOf(kept, kind).length]),
    );
  };
  assert.deepEqual(counts(10_000), { goal: 5, constraint: 5, file: 5, words: 5, open: 5, decision: 5 });
  const stages = [500, 400, 300, 10].map(counts);
  for (const stage of stages) assert.deepEqual([stage["goal"], stage["constraint"]], [5, 5]);
  for (const [later, earlier] of [
    ["open", "decision"],
    ["file", "open"],
    ["words", "file"],
  ] as const) {
    for (const stage of stages) assert.ok(stage[later] === 5 || stage[earlier] === 0, `${later} before ${earlier}`);
  }
  assert.deepEqual(stages.at(-1), { goal: 5, constraint: 5, file: 0, words: 0, open: 0, decision: 0 });
  const wordsKept = textsOf(fitPins(all, 300), "words");
  assert.deepEqual(wordsKept, textsOf(all, "words").slice(0, wordsKept.length));
});

function textsOf(pins: readonly Pin[], kind: string): string[] {
  return pins.filter((pin) => pin.kind === kind).map(({ text }) => text);
}
