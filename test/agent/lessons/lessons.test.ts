import assert from "node:assert/strict";
import { appendFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test from "node:test";
import { lessonsForPrompt, readLessons, removeLesson, saveLessons } from "../../../src/agent/lessons/lessons-file.ts";
import { proposeLessons } from "../../../src/agent/lessons/keep-lessons.ts";
import type { Model, ModelRequest } from "../../../src/core/model.ts";
import type { SessionEntry, SessionEntryBody } from "../../../src/core/session.ts";
import { createScriptedModel } from "../../../packages/testing/src/create-scripted-model.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function branchOf(...bodies: readonly SessionEntryBody[]): SessionEntry[] {
  return bodies.map((body, at) => ({ ...body, v: 1, id: `e${at}`, parentId: null, at: 0 }));
}

function failedCall(tool: string, inputText: string, text: string): SessionEntryBody[] {
  return [
    {
      type: "assistant",
      parts: [{ type: "call", callId: tool, tool, inputText }],
      model: "m",
      stop: "calls",
      usage,
      cost: null,
    },
    { type: "results", results: [{ callId: tool, tool, text, isError: true }] },
  ];
}

const question: SessionEntryBody = { type: "user", parts: [{ type: "text", text: "run the tests" }] };
const learnt = branchOf(question, ...failedCall("bash", '{"command":"npm test"}', "Error: use pnpm, token hunter2"));

/** Says one text, and keeps what it was asked. */
function modelSaying(text: string): { readonly model: Model; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const scripted = createScriptedModel({ turns: [text], atEnd: "repeat_last" });
  const model: Model = {
    ...scripted,
    stream(request) {
      requests.push(request);
      return scripted.stream(request);
    },
  };
  return { model, requests };
}

function propose(model: Model, branch: readonly SessionEntry[], known: readonly string[] = []) {
  return proposeLessons({
    model,
    branch,
    known,
    conversationId: "one",
    maskText: (text) => text.replaceAll("hunter2", "[masked]"),
    signal: new AbortController().signal,
  });
}

test("lessons are proposed from what happened, without tools, masked, and kept by nobody [L14]", async () => {
  const { model, requests } = modelSaying(
    "Here:\n- Use pnpm, not npm.\n* The token is hunter2\n3. use PNPM, not npm\n- NONE",
  );
  const { lessons, problem } = await propose(model, learnt);
  assert.deepEqual(lessons, ["Use pnpm, not npm.", "The token is [masked]"]);
  assert.equal(problem, null);
  assert.equal(requests.length, 1);
  assert.deepEqual([requests[0]!.tools, requests[0]!.toolChoice], [[], "none"]);
  const asked = JSON.stringify(requests[0]!.messages);
  assert.match(asked, /person: run the tests.*call bash: .*npm test.*failed bash: Error: use pnpm, token \[masked\]/);
  assert.doesNotMatch(asked, /hunter2/);
});

test("what is known or was not wanted is not proposed again, and at most five are [L14]", async () => {
  const many = ["build", "lint", "format", "deploy", "release", "publish", "serve"];
  const { model } = modelSaying(many.map((word) => `- Use make ${word} to ${word} everything in here`).join("\n"));
  const first = await propose(model, learnt);
  assert.equal(first.lessons.length, 5);
  const second = await propose(model, learnt, [...first.lessons, "In here use `make publish` to publish everything!"]);
  assert.deepEqual(second.lessons, ["Use make serve to serve everything in here"]);
});

test("when there is nothing to learn nobody is asked, and NONE means none [L14]", async () => {
  const quiet = modelSaying("- something");
  const answer: SessionEntryBody = {
    type: "assistant",
    parts: [{ type: "text", text: "4" }],
    model: "m",
    stop: "end",
    usage,
    cost: null,
  };
  assert.deepEqual((await propose(quiet.model, branchOf(question, answer))).lessons, []);
  assert.deepEqual((await propose(quiet.model, [])).lessons, []);
  assert.equal(quiet.requests.length, 0);
  for (const text of ["NONE", "none.", "- NONE", "I learnt a lot, but it is hard to say.", ""]) {
    assert.deepEqual((await propose(modelSaying(text || " ").model, learnt)).lessons, []);
  }
});

test("a model that can't be reached costs the proposal, not the end of the session [L14]", async () => {
  const failing = createScriptedModel({ turns: [{ fail: { kind: "unreachable", times: 9 } }] });
  const { lessons, problem } = await propose(failing, learnt);
  assert.deepEqual(lessons, []);
  assert.equal(typeof problem, "string");
});

test("kept lessons are a readable file of the person's, which they edit as they like [L14]", async (t) => {
  const file = join(await temporaryFolder(t), "state/lessons.md");
  assert.deepEqual(await readLessons(file), []);
  assert.deepEqual(await saveLessons(file, []), []);
  assert.deepEqual(await readdir(dirname(dirname(file))), []);
  assert.deepEqual(await saveLessons(file, ["Use pnpm.", "Line\nbreak", "use  PNPM"]), ["Use pnpm.", "Line break"]);
  assert.match(await readFile(file, "utf8"), /^# Lessons\n\nEvery item .*\n\n- Use pnpm\.\n- Line break\n$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await appendFile(file, "\n## Mine\nA sentence.\n  * By hand   \n- use pnpm");
  assert.deepEqual(await readLessons(file), ["Use pnpm.", "Line break", "By hand"]);
  assert.deepEqual(await saveLessons(file, ["Last"]), ["Last"]);
  assert.equal(await removeLesson(file, "line break"), true);
  assert.equal(await removeLesson(file, "line break"), false);
  assert.equal(await removeLesson(`${file}.missing`, "line break"), false);
  assert.deepEqual(await readLessons(file), ["Use pnpm.", "By hand", "Last"]);
  assert.match(await readFile(file, "utf8"), /## Mine\nA sentence\.\n/);
  assert.deepEqual(await readdir(dirname(file)), ["lessons.md"]);
});

test("sessions that keep lessons at the same time lose none [L14]", async (t) => {
  const file = join(await temporaryFolder(t), "lessons.md");
  await writeFile(file, "");
  const lessons = Array.from({ length: 20 }, (_, at) => `Lesson ${at}`);
  await Promise.all(lessons.map((lesson) => saveLessons(file, [lesson])));
  assert.deepEqual((await readLessons(file)).toSorted(), lessons.toSorted());
});

test("the prompt gets the latest lessons that fit, masked [L14]", () => {
  const mask = (text: string): string => text.replaceAll("hunter2", "[masked]");
  assert.deepEqual(lessonsForPrompt(["old", "a hunter2", "new"], mask, 14), ["a [masked]", "new"]);
  assert.deepEqual(lessonsForPrompt([], mask), []);
});
