import assert from "node:assert/strict";
import { test } from "node:test";
import { textOfParts } from "../../../src/core/message.ts";
import type { Script } from "../../../packages/testing/src/script.ts";
import { openTestAgent, resultsIn } from "../../support/agent.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join("\n");
const readLong = { tool: "read", input: { file_path: "long.txt" } };
/** Says what it is about, so that it can stand for it. */
const summary =
  "The person wants long.txt read again and again; long.txt holds word0 and many more words, all of it was read.";

test("80 % of the window is told as info, 100 % as a warning, each once [L4]", async (t) => {
  const used = (inputTokens: number) => ({ inputTokens, outputTokens: 10 });
  const { agent, events } = await openTestAgent(t, {
    settings: { maxContextTokens: 20_000 },
    script: { order: "requests" },
    turns: [
      { text: "One.", usage: used(5_000) },
      { text: "Two.", usage: used(16_100) },
      { text: "Three.", usage: used(16_300) },
      { text: "Four.", usage: used(20_100) },
    ],
  });
  for (const prompt of [words(3_500), "Prompt 2", "Prompt 3", "Prompt 4"]) await agent.send(prompt);
  const told = events.flatMap((event) => (event.type === "notice:told" ? [[event.level, event.text]] : []));
  assert.deepEqual(told, [
    [
      "info",
      "The context is filling up: 16,110 of 20,000 tokens (81 %). Old turns will be summarised soon; /compact does it now.",
    ],
    [
      "warning",
      "The context is full: 20,110 of 20,000 tokens (101 %). Old turns are summarised before the next request.",
    ],
  ]);
  const measured = events.flatMap((event) => (event.type === "context:measured" ? [event.tokens] : []));
  assert.deepEqual(measured, [5_010, 16_110, 16_310, 20_110]);
  assert.deepEqual(agent.context, { tokens: 20_110, maxTokens: 20_000 });
});

test("what is counted before the provider says anything is counted once [L4]", async (t) => {
  const prompt = words(4_000);
  const { agent, requests } = await openTestAgent(t, { turns: [{ fail: { kind: "key", times: "always" } }] });
  await agent.send(prompt);
  const first = agent.context!.tokens;
  await agent.send("More.");
  assert.ok(agent.context!.tokens - first < 100, `${first} became ${agent.context!.tokens}`);
  const characters = JSON.stringify(requests[0]!.messages).length;
  assert.ok(first < characters / 2, `${first} tokens for ${characters} characters and the tools`);
});

test("when the window fills the loop makes room by itself, and the model goes on with its task [L6 L4]", async (t) => {
  const { agent, eventsOf, messages, requests, events } = await openTestAgent(t, {
    files: { "long.txt": words(1_200) },
    settings: { maxContextTokens: 16_000, maxTurns: 12 },
    script: { withoutTools: summary, order: "requests" },
    turns: [{ calls: [readLong], times: 9 }, "Read it nine times."],
  });
  const end = await agent.send("Read long.txt nine times. Never write to it.");
  assert.deepEqual([end.state, end.text, end.statistics.calls], ["answered", "Read it nine times.", 9]);
  const compactions = eventsOf("context:compacted");
  assert.ok(compactions.length >= 1);
  for (const { tokensBefore, tokensAfter } of compactions) assert.ok(tokensAfter < tokensBefore);
  const measured = events.flatMap((event) => (event.type === "context:measured" ? [event.tokens] : []));
  assert.ok(Math.max(...measured) < 16_000, measured.join(" "));
  for (const request of requests) assertValidConversation(request.messages);
  assertValidConversation(messages());
  const [first] = messages();
  assert.ok(first?.role === "user" && textOfParts(first.parts).includes("Never write to it."), "the goal is pinned");
  assert.ok(requests.some(({ tools }) => tools.length === 0));
});

test("a provider that says the conversation is too long gets a shorter one, once [L6 L3]", async (t) => {
  const turns: Script["turns"] = [
    { calls: [readLong] },
    { calls: [readLong] },
    "Read twice.",
    { fail: { kind: "window" }, text: "Fits now." },
    { fail: { kind: "window", times: "always" } },
  ];
  const { agent, requests, messages, eventsOf } = await openTestAgent(t, {
    files: { "long.txt": words(1_200) },
    script: { withoutTools: summary, order: "requests" },
    turns,
  });
  await agent.send("Read long.txt twice.");
  const before = agent.context!.tokens;
  const end = await agent.send("And what was the first word of it?");
  assert.deepEqual([end.state, end.text], ["answered", "Fits now."]);
  assert.equal(eventsOf("context:compacted").length, 1);
  assert.ok(agent.context!.tokens < before * 0.7, `${before} became ${agent.context!.tokens}`);
  const last = requests.at(-1)!.messages;
  assert.match(JSON.stringify(last), /the first word of it\?/, "what was asked goes along");
  assertValidConversation(last);
  assert.equal(await agent.undoCompaction(), true);
  assert.equal(resultsIn(messages()).length, 2, "nothing was lost");
  const failed = await agent.send("Once more.");
  assert.deepEqual([failed.state, failed.failureKind], ["failed", "window"]);
  assertValidConversation(messages());
});

test("/compact makes room now, and what it cost counts [L6 P7]", async (t) => {
  const { agent, messages, eventsOf } = await openTestAgent(t, {
    files: { "long.txt": words(1_500) },
    script: { withoutTools: summary, model: { price: { input: 1, output: 1 } } },
    turns: [{ calls: [readLong] }, "Read.", "Thanks."],
  });
  await agent.send("Read long.txt.");
  await agent.send("Good.");
  const before = agent.context!.tokens;
  const paid = agent.spent.cost!;
  const outcome = await agent.compact({ focus: "the file" });
  assert.equal(outcome.state, "compacted");
  assert.ok(agent.context!.tokens < before);
  assert.ok(agent.spent.cost! > paid);
  assert.equal(eventsOf("context:compacted").length, 1);
  assertValidConversation(messages());
});

test("a window that can't hold the system prompt and the tools is one sentence, and nothing is sent [L4]", async (t) => {
  const home = await temporaryFolder(t);
  const { agent, requests, messages } = await openTestAgent(t, { home, settings: { maxContextTokens: 1_500 } });
  const end = await agent.send("Hello");
  assert.deepEqual([end.state, end.failureKind, requests.length], ["failed", "window", 0]);
  assert.match(end.reason!, /^The window of 1,500 tokens is too small: .* Choose a model with a larger window/);
  assert.equal(messages().length, 1);
  const { sessionId } = agent;
  await agent.close();
  const larger = await openTestAgent(t, { home, session: sessionId });
  assert.equal((await larger.agent.send("Now?")).state, "answered");
});
