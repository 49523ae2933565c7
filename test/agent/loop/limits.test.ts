import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestAgent, resultsIn } from "../../support/agent.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const files = { "a.txt": "alpha\n" };
const readA = { tool: "read", input: { file_path: "a.txt" } };

test("a run ends after its turns with a valid conversation, and the next prompt goes on [L1]", async (t) => {
  const { agent, messages, requests } = await openTestAgent(t, {
    files,
    settings: { maxTurns: 3 },
    turns: [{ calls: [readA], times: 4 }, "Enough."],
  });
  const end = await agent.send("Read it again and again.");
  assert.deepEqual(
    [end.state, end.reason, end.failureKind],
    ["max_turns", "Reached the limit of 3 turns (limits.max_turns).", null],
  );
  assert.equal(requests.length, 3);
  assert.equal(messages().at(-1)!.role, "tool");
  assertValidConversation(messages());
  assert.deepEqual([(await agent.send("Go on.")).state, requests.length], ["answered", 5]);
  assertValidConversation(messages());
});

test("what a model without a known price cost is not known, also before the first request [L1]", async (t) => {
  const free = await openTestAgent(t, { turns: ["Hello."] });
  assert.equal(free.agent.spent.cost, null);
  await free.agent.send("Hi.");
  assert.equal(free.agent.spent.cost, null);
  const paid = await openTestAgent(t, { turns: ["Hello."], script: { model: { price: { input: 3, output: 15 } } } });
  assert.equal(paid.agent.spent.cost, 0);
});

test("20 turns are the most unless told [L1]", async (t) => {
  const { agent, requests } = await openTestAgent(t, { files, turns: [{ calls: [readA] }], script: { atEnd: "loop" } });
  const end = await agent.send("Read for ever.");
  assert.deepEqual([end.state, requests.length, end.statistics.turns, end.statistics.calls], ["max_turns", 20, 20, 20]);
});

test("a run ends when it has cost as much as it may, and what was spent is told [L1 P7]", async (t) => {
  const usage = { inputTokens: 1000, outputTokens: 100 };
  const { agent, messages, eventsOf } = await openTestAgent(t, {
    files,
    settings: { maxCost: 0.01 },
    script: { model: { price: { input: 3, output: 15 } } },
    turns: [
      { calls: [readA], usage, times: 3 },
      { text: "Done.", usage },
    ],
  });
  const end = await agent.send("Read.");
  assert.deepEqual([end.state, end.statistics.turns], ["max_cost", 3]);
  assert.equal(end.reason, "Reached the cost limit: $0.0135 spent, --max-cost is $0.01.");
  assertValidConversation(messages());
  assert.equal(end.statistics.cost?.toFixed(6), "0.013500");
  assert.equal(eventsOf("reply:finished")[0]!.cost?.toFixed(6), "0.004500");
  assert.equal((await agent.send("Go on.")).state, "answered");
  assert.equal(agent.spent.cost?.toFixed(6), "0.018000");
  assert.deepEqual(agent.spent.usage, {
    inputTokens: 4000,
    outputTokens: 400,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  });
});

test("a limit on costs that nobody knows is told to be none [L1]", async (t) => {
  const { agent, eventsOf } = await openTestAgent(t, { settings: { maxCost: 0.01 }, turns: ["Free?"] });
  assert.equal((await agent.send("Hello")).state, "answered");
  assert.deepEqual(
    eventsOf("notice:told").map(({ text }) => text),
    ["No price data for script; --max-cost has no effect."],
  );
  assert.equal(agent.spent.cost, null);
});

test("the first turn of a task must use a tool when that is wanted, a plain question need not [L1 L15]", async (t) => {
  const { agent, requests } = await openTestAgent(t, {
    files,
    settings: { forceFirstTool: true },
    turns: [{ calls: [readA] }, "It says alpha.", "Two."],
  });
  await agent.send("Read a.txt and tell me what it says.");
  await agent.send("What is one plus one?");
  assert.deepEqual(
    requests.map(({ toolChoice }) => toolChoice),
    ["any", "auto", "auto"],
  );
});

test("200 calls in one reply all run, and their results come in order and fit the window [P5 L5 L4]", async (t) => {
  const long = "a line of the file that goes on for a while\n".repeat(400);
  const names = Array.from({ length: 200 }, (_, index) => `f${index}.txt`);
  const { agent, messages, events, runtime } = await openTestAgent(t, {
    files: Object.fromEntries(names.map((name) => [name, `${name} begins\n${long}`])),
    turns: [{ calls: names.map((name) => ({ tool: "read", input: { file_path: name } })) }, "Read."],
  });
  const end = await agent.send("Read all.");
  assert.deepEqual([end.state, end.statistics.calls, end.statistics.successes], ["answered", 200, 200]);
  const results = resultsIn(messages());
  assert.deepEqual(
    results.map(({ text }) => /^1\t(\S+) begins/.exec(text)?.[1]),
    names,
  );
  assert.ok(results.every(({ text }) => /\n\[Lines 1-\d+ of 401\. Continue with offset=\d+\.\]$/.test(text)));
  const measured = events.findLast((event) => event.type === "context:measured")!;
  assert.ok(measured.type === "context:measured" && measured.tokens < measured.maxTokens, JSON.stringify(measured));
  assertValidConversation(messages());
  assert.equal((await runtime.list({ limit: 500 })).length, 200);
});

test("of thousands of calls in one reply the first 256 run, and the model hears of the rest [P5 L10]", async (t) => {
  const asked = 2000;
  const call = { tool: "read", input: { file_path: "a.txt" } };
  const { agent, messages, runtime } = await openTestAgent(t, {
    files: { "a.txt": "seven b" },
    turns: [{ calls: Array.from({ length: asked }, () => call) }, "Read."],
  });
  const end = await agent.send("Read all.");
  assert.deepEqual([end.state, end.statistics.calls], ["answered", 256]);
  const results = resultsIn(messages());
  assert.equal(results.length, asked);
  assert.ok(results.slice(0, 256).every(({ text, isError }) => !isError && text.startsWith("1\tseven b")));
  assert.equal(
    results[256]!.text,
    "Error: Not run: the reply contains 2000 calls, and only the first 256 are run. Request the rest again in smaller replies.",
  );
  assert.ok(
    results.slice(257).every(({ text, isError }) => isError && text === "Error: Not run, for the same reason."),
  );
  assertValidConversation(messages());
  assert.equal((await runtime.list({ limit: 500 })).length, 256);
});

test("calls of a reply that was declined or filtered are not run, and the person is told [L1]", async (t) => {
  const write = { tool: "write", input: { file_path: "new.txt", content: "x" } };
  const { agent, messages, home } = await openTestAgent(t, {
    files: { "a.txt": "a" },
    turns: [
      { text: "I begin.", calls: [{ tool: "read", input: { file_path: "a.txt" } }, write], stop: "refused" },
      "Gone on.",
    ],
  });
  const end = await agent.send("Do it.");
  assert.deepEqual(
    [end.state, end.reason, end.failureKind],
    [
      "failed",
      "The provider declined or filtered the reply, so its 2 calls were discarded. Rephrase the request.",
      "rejected",
    ],
  );
  assert.equal(existsSync(join(home, "new.txt")), false);
  assert.ok(resultsIn(messages()).every(({ text, isError }) => isError && text.startsWith("Error: Discarded: ")));
  assertValidConversation(messages());
  assert.equal((await agent.send("Go on.")).state, "answered");
});

test("an empty reply is asked for once more; a second one ends the run, and the next prompt goes on [L1]", async (t) => {
  const empty = { text: "" };
  const { agent, messages, eventsOf, requests } = await openTestAgent(t, {
    script: { order: "requests" },
    turns: [empty, "Here I am.", empty, { thinking: "Hm." }, "Back again."],
  });
  assert.deepEqual([(await agent.send("Hello?")).text, requests.length], ["Here I am.", 2]);
  assert.deepEqual(
    eventsOf("notice:told").map(({ level, text }) => [level, text]),
    [["info", "The model sent an empty reply. Asking again."]],
  );
  const end = await agent.send("And now?");
  assert.deepEqual([end.state, end.reason], ["failed", "The model sent two empty replies."]);
  assertValidConversation(messages());
  assert.equal((await agent.send("Still there?")).text, "Back again.");
  assertValidConversation(messages());
  assertValidConversation(requests.at(-1)!.messages);
});

test("a call that fails again and again is not run any more, and the model is told [L10 P6]", async (t) => {
  const fails = { tool: "bash", input: { command: "echo tried >> tries.txt; exit 3" } };
  const { agent, home, messages } = await openTestAgent(t, {
    runtime: { settings: { permissions: { allow: ["bash"] } } },
    settings: { maxTurns: 8 },
    turns: [{ calls: [fails] }],
    script: { atEnd: "loop" },
  });
  const end = await agent.send("Try for ever.");
  assert.deepEqual([end.state, end.statistics.blockedRepeats], ["max_turns", 5]);
  assert.equal(readFileSync(join(home, "tries.txt"), "utf8"), "tried\n".repeat(3));
  const last = resultsIn(messages()).at(-1)!;
  assert.match(last.text, /^Error: Not run again: this same call failed 3\/3 times in a row\./);
  assert.ok(last.isError);
});

test("a reply that is cut at the output limit is an answer with a warning [L1]", async (t) => {
  const { agent, eventsOf } = await openTestAgent(t, { turns: [{ text: "It begins with", stop: "length" }] });
  const end = await agent.send("Tell me all.");
  assert.deepEqual([end.state, end.text], ["answered", "It begins with"]);
  assert.deepEqual(
    eventsOf("notice:told").map(({ level, text }) => [level, text]),
    [["warning", "The reply was cut off at the model's output limit. Say “continue” for the rest."]],
  );
});

test("arguments that are no JSON, half of it, or not what the tool takes come back with what to do [L10]", async (t) => {
  const { agent, messages, requests } = await openTestAgent(t, {
    files,
    turns: [
      {
        calls: [
          { tool: "read", inputText: "not json" },
          { tool: "read", inputText: '{"file_path": "a.t' },
          { tool: "read", inputText: "[1]" },
          { tool: "read", inputText: "" },
          { tool: "raed", input: { file_path: "a.txt" } },
          { tool: "", inputText: "{}" },
          readA,
        ].map((call) => (call.tool === "" ? { ...call, tool: " " } : call)),
      },
      { calls: [readA] },
      "Got it.",
    ],
  });
  const end = await agent.send("Read a.txt.");
  assert.equal(end.state, "answered");
  const results = resultsIn(messages());
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [true, true, true, true, true, true, false, false],
  );
  const [words, half, list, nothing, typo] = results.map(({ text }) => text);
  assert.match(words!, /JSON/);
  assert.match(half!, /JSON/);
  assert.match(list!, /object/);
  assert.match(nothing!, /Missing parameters: file_path/);
  assert.match(typo!, /^Error: Unknown tool: raed\nHint: .*\bread\b/);
  assertValidConversation(messages());
  assert.equal(end.statistics.recoveries, 1);
  assertValidConversation(requests.at(-1)!.messages);
});
