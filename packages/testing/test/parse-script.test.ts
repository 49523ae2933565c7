import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseScript } from "../src/parse-script.ts";
import { openScriptedModel, readScript } from "../src/read-script.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { requestOf, textOf, user } from "./request.ts";

test("a script is JSON with comments, snake_case outside and camelCase inside", () => {
  const text = `// what the model says
  {
    "model": { "context_tokens": 8000, "price": { "input": 3 } },
    "at_end": "repeat_last",
    "turns": [
      "Hello.", /* a text alone is a turn */
      { "calls": [{ "tool": "read", "input": { "file_path": "a" }, "pause_ms": 5 }], "delay_ms": 1 },
      { "fail": { "status": 429, "retry_after_ms": 20 } },
      { "text": "Done.", "expect": { "tool_result": { "is_error": false } } },
    ],
  }`;
  assert.deepEqual(parseScript(text, "script.json"), {
    model: { contextTokens: 8000, price: { input: 3 } },
    atEnd: "repeat_last",
    turns: [
      { text: "Hello." },
      { calls: [{ tool: "read", input: { file_path: "a" }, pauseMs: 5 }], delayMs: 1 },
      { fail: { status: 429, retryAfterMs: 20 } },
      { text: "Done.", expect: { toolResult: { isError: false } } },
    ],
  });
});

test("a script may be one turn per line, a list of turns, or one turn", () => {
  const lines = `{"order": "requests"}\n// the first\n{"text": "one"}\n\n"two"\n`;
  assert.deepEqual(parseScript(lines, "a"), { order: "requests", turns: [{ text: "one" }, { text: "two" }] });
  assert.deepEqual(parseScript(`"one"\r\n{"text": "two"}`, "a"), { turns: [{ text: "one" }, { text: "two" }] });
  assert.deepEqual(parseScript(`["one",\n{"text": "two"}]`, "a"), { turns: [{ text: "one" }, { text: "two" }] });
  assert.deepEqual(parseScript(`\uFEFF{"text": "one"}`, "a"), { turns: [{ text: "one" }] });
  assert.deepEqual(parseScript(`{\n"text": "one"\n}`, "a"), { turns: [{ text: "one" }] });
});

const bad: readonly (readonly [name: string, text: string, message: string])[] = [
  ["nothing", " \n", "it is empty; see docs/scripted-models.md for what to write"],
  ["an open bracket", `{"turns": [`, "it is not JSON (Unexpected end of JSON input)"],
  ["a number", "3", "the whole file: expected an object, got 3"],
  ["null", "null", "the whole file: expected an object, got null"],
  ["no turns", `{"model": {}}`, "turns is missing"],
  ["no turn", `{"turns": []}`, "turns: expected at least 1 in the list, got an empty list"],
  ["turns that are a text", `{"turns": "hi"}`, `turns: expected a list, got "hi"`],
  ["a turn that is null", "[null]", "turns[0]: expected an object, got null"],
  [
    "a turn without anything",
    `{"turns": [{}]}`,
    `turns[0] says nothing; give it "text" ("" for an empty reply), "calls", "parts" or "fail"`,
  ],
  ["a key by another name", `{"turns": [{"txt": "hi"}]}`, `turns[0].txt is unknown; did you mean "text"`],
  ["camelCase", `{"turns": [{"text": "a", "delayMs": 5}]}`, `turns[0].delayMs is unknown; did you mean "delay_ms"`],
  [
    "a key of nothing",
    `{"turns": ["a"], "model": {"zzzzzzzz": 1}}`,
    "model.zzzzzzzz is unknown; there are context_tokens, max_output_tokens, price, accepts_images",
  ],
  ["a text that is a number", `{"turns": [{"text": 3}]}`, "turns[0].text: expected a text, got 3"],
  ["a call without a tool", `{"turns": [{"calls": [{"input": {}}]}]}`, "turns[0].calls[0].tool is missing"],
  [
    "a call with two inputs",
    `[{"calls": [{"tool": "a", "input": {}, "input_text": ""}]}]`,
    `turns[0].calls has both "input" and "input_text"; use one`,
  ],
  ["a negative delay", `[{"text": "a", "delay_ms": -1}]`, "turns[0].delay_ms: expected at least 0, got -1"],
  ["half a millisecond", `[{"text": "a", "piece_ms": 0.5}]`, "turns[0].piece_ms: expected a whole number, got 0.5"],
  [
    "an unknown kind",
    `[{"fail": {"kind": "tired"}}]`,
    `turns[0].fail.kind: expected one of key, unknown_model, unreachable, rate_limit, overloaded, server, cut, window, rejected, got "tired"`,
  ],
  ["a status of success", `[{"fail": {"status": 200}}]`, "turns[0].fail.status: expected at least 400, got 200"],
  [
    "a failure without a kind",
    `[{"fail": {"times": 2}}]`,
    `turns[0].fail needs a "kind", such as "rate_limit", or a "status", such as 429`,
  ],
  ["never failing", `[{"fail": {"status": 500, "times": 0}}]`, `turns[0].fail.times: expected at least 1, got 0`],
  [
    "failing behind the end",
    `[{"text": "a", "fail": {"status": 500, "after": 2}}]`,
    "turns[0].fail.after is 2, but the turn has 1 part",
  ],
  [
    "a cut of nothing",
    `[{"parts": [], "cut": true}]`,
    `turns[0] is cut, but has no part that could be cut; give it a "text" or "calls"`,
  ],
  [
    "a cut failure",
    `[{"text": "a", "fail": {"status": 500}, "cut": true}]`,
    `turns[0] has both "fail" and "cut"; use one, or two turns`,
  ],
  [
    "parts beside a text",
    `[{"text": "a", "parts": []}]`,
    `turns[0] has "parts" and also "thinking", "text" or "calls"; use either`,
  ],
  [
    "a part of two kinds",
    `[{"parts": [{"text": "a", "tool": "b"}]}]`,
    `turns[0].parts[0] has "text" and "tool"; make them parts of their own`,
  ],
  [
    "an empty part",
    `[{"parts": [{}]}]`,
    `turns[0].parts[0] is empty; give it "text", "thinking", "tool" or "pause_ms"`,
  ],
  [
    "an unknown stop",
    `[{"text": "a", "stop": "tired"}]`,
    `turns[0].stop: expected one of end, calls, length, refused, other, got "tired"`,
  ],
  [
    "an expectation of a number",
    `[{"text": "a", "expect": {"contains": 4}}]`,
    "turns[0].expect.contains: expected a text or a list of texts, got 4",
  ],
  ["an expectation of nothing", `[{"text": "a", "expect": {}}]`, `turns[0].expect needs "contains" or "tool_result"`],
  [
    "looping over a failure",
    `{"at_end": "loop", "turns": ["a", {"fail": {"status": 500}}]}`,
    `the last turn only fails, so at_end "loop" has nothing to go on with; add a turn`,
  ],
  ["a broken line", `{"text": "a"}\n{"text": `, "line 2 is not JSON (Unexpected end of JSON input)"],
  [
    "a session of another version",
    `{"v": 2, "type": "session", "id": "a"}`,
    "line 1 is of version 2 of the format, expected 1",
  ],
  [
    "a session without a reply",
    `{"v": 1, "type": "session", "id": "a", "parent_id": null}`,
    "the session has no reply that could be played",
  ],
];

for (const [name, text, message] of bad) {
  test(`a script of ${name} is refused with one sentence that says where and what was expected`, () => {
    assert.throws(() => parseScript(text, "my.json"), {
      code: "MODEL_INVALID",
      message: `my.json is not a script of a model: ${message}.`,
    });
  });
}

test("many mistakes are told by the first three", () => {
  const turns = JSON.stringify({ turns: [{ text: 1 }, { text: 2 }, { text: 3 }, { text: 4 }, { text: 5 }] });
  assert.throws(() => parseScript(turns, "a"), /turns\[2\]\.text: expected a text, got 3; and 2 more\.$/);
});

test("a file that is missing, a folder or nearly there is named in one sentence", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "demo.json"), `["Hi."]`);
  await mkdir(join(folder, "inner"));
  await assert.rejects(readScript(join(folder, "demo.jsn")), {
    code: "MODEL_INVALID",
    message: `The script ${folder}/demo.jsn can't be read: there is no such file; did you mean ${folder}/demo.json.`,
  });
  await assert.rejects(readScript(join(folder, "inner")), {
    message: `The script ${folder}/inner can't be read: it is not a file.`,
  });
  const model = await openScriptedModel(join(folder, "demo.json"));
  assert.equal(model.id, `script:${folder}/demo.json`);
  assert.equal(await textOf(model, requestOf([user("hello")])), "Hi.");
});
