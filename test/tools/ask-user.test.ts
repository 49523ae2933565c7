import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Answer, Ask, Question } from "../../src/core/approval.ts";
import { askUserTool } from "../../src/tools/ask-user.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { openRuntime } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contextIn, runTool } from "./run-tool.ts";

async function askWith(input: unknown, answer: Answer): Promise<{ asked: Question[]; output: string; hint: string }> {
  const asked: Question[] = [];
  const context = {
    ...contextIn("/"),
    ask(question: Question) {
      asked.push(question);
      return Promise.resolve(answer);
    },
  };
  const result = await runTool(askUserTool, input, context);
  return { asked, output: result.ok ? result.output : result.error, hint: result.ok ? "" : (result.hint ?? "") };
}

test("an answer and a choice come back in exactly these words [L7] [C1]", async () => {
  const free = await askWith({ question: " Which port? " }, { answered: true, text: " 8080 " });
  assert.deepEqual(free, { asked: [{ text: "Which port?" }], output: "User answered: 8080", hint: "" });

  const options = ["SQLite", "Postgres", "none"];
  const one = await askWith({ question: "Which?", options }, { answered: true, text: "none", selected: ["none"] });
  assert.deepEqual(one.asked, [{ text: "Which?", options, multiple: false, other: false }]);
  assert.equal(one.output, "User selected: none");

  const selected = ["SQLite", "none"];
  const two = await askWith(
    { question: "Which?", options, multiple: true, other: true },
    { answered: true, text: "SQLite, none", selected },
  );
  assert.deepEqual(two.asked, [{ text: "Which?", options, multiple: true, other: true }]);
  assert.equal(two.output, "User selected: SQLite, none");

  const other = await askWith({ question: "Which?", options, other: true }, { answered: true, text: "DuckDB" });
  assert.equal(other.output, "User answered: DuckDB");
});

test("no answer is never turned into one [L7]", async () => {
  const cases: [answer: Answer, error: RegExp, hint: RegExp][] = [
    [{ answered: false, reason: "empty" }, /^The user's answer was empty\.$/, /don't answer for them/],
    [{ answered: true, text: "  \n" }, /^The user's answer was empty\.$/, /don't answer for them/],
    [{ answered: true, text: "", selected: [] }, /^The user's answer was empty\.$/, /don't answer for them/],
    [{ answered: false, reason: "cancelled" }, /closed the question without an answer\.$/, /end your turn/],
    [{ answered: false, reason: "nobody" }, /waits in no inbox\.$/, /permissions\.unattended/],
    [{ answered: true, text: "c", selected: ["c"] }, /"c" is not one of the options\.$/, /don't answer/],
  ];
  for (const [answer, error, hint] of cases) {
    const told = await askWith({ question: "Which?", options: ["a", "b"] }, answer);
    assert.match(told.output, error);
    assert.match(told.hint, hint);
  }
});

test("a wrong list is refused before anybody is asked [L7]", async () => {
  const eleven = Array.from({ length: 11 }, (_, index) => `option ${index}`);
  const cases: [input: object, error: string][] = [
    [{ options: [] }, "A list has 2 to 10 options; got 0."],
    [{ options: ["a"] }, "A list has 2 to 10 options; got 1."],
    [{ options: eleven }, "A list has 2 to 10 options; got 11."],
    [{ options: ["a", "b", "a"] }, "Option 3 is the same as option 1; each must be different."],
    [{ options: ["a", " a "] }, "Option 2 is the same as option 1; each must be different."],
    [{ options: ["a", " "] }, "Option 2 is empty; each option needs a text."],
    [{ question: " \n" }, "The question is empty; expected a text that a person can answer."],
    [{ multiple: true }, "multiple needs a list to choose from; give 2 to 10 options or leave it out."],
  ];
  for (const [input, error] of cases) {
    const told = await askWith({ question: "Which?", ...input }, { answered: true, text: "a" });
    assert.deepEqual([told.asked, told.output], [[], error]);
  }
  for (const options of [eleven.slice(0, 10), ["a", "b"]]) {
    assert.equal(
      (await askWith({ question: "Which?", options }, { answered: false, reason: "empty" })).asked.length,
      1,
    );
  }
});

test("a question needs no permission, stands alone, and waits longer than any limit [L7] [E3]", async (t) => {
  const clock = createManualClock();
  let open = 0;
  let mostOpen = 0;
  const ask: Ask = async ({ text }) => {
    mostOpen = Math.max(mostOpen, ++open);
    clock.advance(24 * 3_600_000);
    await nextTick();
    open -= 1;
    return { answered: true, text: `to ${text}` };
  };
  const runtime = await openRuntime(t, { ask, clock, settings: { store: { kind: "memory" } } });
  const calls = ["AskUserQuestion", "question", "request_user_input"].map((tool) => ({
    tool,
    input: { question: tool },
  }));
  const ended = await runtime.batch(calls, { door: "agent" });
  assert.deepEqual(
    ended.map(({ toolId, state, result }) => [toolId, state, result?.output]),
    calls.map(({ tool }) => ["ask_user", "completed", `User answered: to ${tool}`]),
  );
  assert.equal(mostOpen, 1);
});

test("without a terminal the question waits in the inbox for its answer [L7]", async (t) => {
  const home = await temporaryFolder(t);
  const runtime = await openRuntime(t, { home, settings: { permissions: { unattended: "inbox" } } });
  const added = Promise.withResolvers<string>();
  runtime.on("inbox:added", ({ id }) => added.resolve(id));
  const call = runtime.call("ask_user", { question: "Which?", options: ["a", "b"] }, { door: "schedule" });
  const entry = await runtime.inbox.answer(await added.promise, { options: [2] }, "somebody");
  assert.equal(entry.ok, true);
  const { state, result } = await call;
  assert.deepEqual([state, result?.output], ["completed", "User selected: b"]);
});
