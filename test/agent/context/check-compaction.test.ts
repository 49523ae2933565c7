import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCompaction, checkSummary } from "../../../src/agent/context/compact.ts";
import type { Message } from "../../../src/core/message.ts";

const covered = "user: read src/importer.ts\nassistant: the importer keeps rows in order, the test passes\n".repeat(30);

test("an empty, tiny, endless, repeating or unrelated summary is caught [L6]", () => {
  const check = (summary: string): readonly string[] => checkSummary(summary, { covered, maxTokens: 500 });
  assert.deepEqual(check(" \n"), ["it was empty"]);
  assert.match(check("ok")[0] ?? "", /^it had only 2 characters for a conversation of \d+$/);
  assert.match(
    check("the importer keeps rows ".repeat(400))[0] ?? "",
    /^it had about \d+ tokens where at most 500 are wanted$/,
  );
  assert.deepEqual(check("importer rows keeps order ".repeat(20)), ["it repeats itself"]);
  const unrelated =
    "Bananas grow where winters are mild; sailors carried them over several oceans, singing about green hills and about distant, quiet harbours.";
  assert.deepEqual(check(unrelated), ["it has nothing in common with the conversation"]);
  const real =
    "The person wants src/importer.ts to be read. Done: the importer keeps rows in their order and the test passes. Open: nothing was said about speed yet.";
  assert.deepEqual(check(real), []);
});

test("a short summary of a short conversation is fine [L6]", () => {
  assert.deepEqual(checkSummary("Said hello there.", { covered: "user: hello there, friend", maxTokens: 200 }), []);
});

test("a missing pin, growth and a call without its result are caught in the assembled conversation [L6]", () => {
  const before: Message[] = [said("user", "word ".repeat(500)), said("assistant", "Yes.")];
  const pins = [{ kind: "goal", text: "make it fast" } as const];
  assert.deepEqual(checkCompaction({ before, after: [said("user", "summary: make it fast")], pins }), []);
  assert.deepEqual(checkCompaction({ before, after: [said("user", "summary")], pins }), ["1 of 1 pins are missing"]);
  const grown = checkCompaction({ before, after: [said("user", `make it fast ${"word ".repeat(900)}`)], pins });
  assert.match(grown.join(), /^it would take \d+ tokens instead of \d+$/);
  const call: Message = { role: "assistant", parts: [{ type: "call", callId: "c1", tool: "read", inputText: "{}" }] };
  const result: Message = { role: "tool", results: [{ callId: "c1", tool: "read", text: "x", isError: false }] };
  const start = said("user", "make it fast");
  const problemsOf = (after: Message[]): readonly string[] => checkCompaction({ before, after, pins });
  assert.deepEqual(problemsOf([start, call, result]), []);
  assert.deepEqual(problemsOf([start, call]), ["calls stand without their results"]);
  assert.deepEqual(problemsOf([start, call, said("user", "and?")]), ["calls stand without their results"]);
  assert.deepEqual(problemsOf([start, result]), ["results stand without their calls"]);
  assert.deepEqual(problemsOf([start, said("user", "and?")]), ["two messages of the user follow each other"]);
  assert.deepEqual(problemsOf([call, result]), ["it does not begin with the user", "1 of 1 pins are missing"]);
});

function said(role: "user" | "assistant", text: string): Message {
  return { role, parts: [{ type: "text", text }] };
}
