import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createScriptedModel } from "../../../packages/testing/src/create-scripted-model.ts";
import { openAgentOf, openTestAgent, resultsIn } from "../../support/agent.ts";
import { until } from "../../support/runtime.ts";

const secret = "sk-ant-api03-Zk9vQ2mX7pL4tR8wN1cY5bH3jD6fG0sAqW2eU9iO7kM4xB1nV8zC5lT3rJ6hP0yE-QwErTyAA";

test("a secret in an output reaches the live model, and neither the session, the events nor the log [D4]", async (t) => {
  const opened = await openTestAgent(t, {
    files: { "notes.txt": `the key is ${secret}\n` },
    turns: [
      {
        calls: [
          { tool: "read", input: { file_path: "notes.txt" } },
          { tool: "bash", input: { command: "cat notes.txt" } },
        ],
      },
      { calls: [{ tool: "grep", input: { pattern: secret } }] },
      "I have seen it.",
    ],
  });
  const { agent, events, messages, home, requests, runtime } = opened;
  const told: unknown[] = [];
  runtime.on("*", (event) => void told.push(event));
  const end = await agent.send(`Read notes.txt; I think it holds ${secret}`);
  assert.equal(end.state, "answered");
  assert.ok(resultsIn(messages()).every(({ text }) => text.includes(secret)));
  assert.ok(resultsIn(requests.at(-1)!.messages).every(({ text }) => text.includes(secret)));
  await agent.close();
  await runtime.close();
  assert.ok(!JSON.stringify(events).includes(secret), "events of the agent");
  assert.ok(!JSON.stringify(told).includes(secret), "events of the runtime");
  const kept = filesUnder(join(home, ".deckhand"));
  assert.ok(kept.some((path) => path.includes("sessions")) && kept.some((path) => path.endsWith("chat_log.jsonl")));
  for (const path of kept) assert.ok(!readFileSync(path, "latin1").includes(secret), path);
});

test("the log has what the person said and what the model answered, around its calls [D4]", async (t) => {
  const { agent, home, runtime } = await openTestAgent(t, {
    files: { "a.txt": "alpha\n" },
    turns: [{ text: "Looking.", calls: [{ tool: "read", input: { file_path: "a.txt" } }] }, "It says alpha."],
  });
  await agent.send("What does a.txt say?");
  await agent.close();
  await runtime.close();
  const lines = readFileSync(join(home, ".deckhand/logs/chat_log.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => ["user_input", "assistant_output", "tool_call", "tool_result"].includes(String(type)));
  assert.deepEqual(
    lines
      .filter(({ text }) => text !== undefined)
      .map(({ type, text, conversation_id }) => [type, text, conversation_id]),
    [
      ["user_input", "What does a.txt say?", agent.sessionId],
      ["assistant_output", "Looking.", agent.sessionId],
      ["assistant_output", "It says alpha.", agent.sessionId],
    ],
  );
  const types = lines.map(({ type }) => type);
  assert.deepEqual([types.indexOf("user_input"), types.lastIndexOf("assistant_output")], [0, lines.length - 1]);
  assert.ok(types.includes("tool_call") && types.indexOf("tool_result") > types.indexOf("tool_call"));
});

test("a run tells its statistics, each run its own [P7]", async (t) => {
  const read = (file_path: string) => ({ tool: "read", input: { file_path } });
  const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 40, cacheWriteTokens: 20 };
  const model = createScriptedModel({
    model: { price: { input: 10, output: 20, cacheRead: 1, cacheWrite: 12 } },
    turns: [
      { calls: [read("missing.txt"), read("a.txt")], usage },
      { calls: [{ tool: "write", input: { file_path: "b.txt", content: "b" } }], usage },
      { text: "Done.", usage },
      { calls: [read("a.txt"), { tool: "nosuch", input: {} }], usage },
      { text: "Done again.", usage },
    ],
  });
  const { agent } = await openTestAgent(t, {
    files: { "a.txt": "alpha\n" },
    model,
    runtime: { settings: { permissions: { mode: "accept-edits" } } },
  });
  const { durationMs, cost, ...first } = (await agent.send("Work.")).statistics;
  assert.deepEqual(first, {
    turns: 3,
    calls: 3,
    successes: 2,
    failures: 1,
    cancelled: 0,
    consecutiveReadOnlySuccesses: 0,
    consecutiveNonMutatingSuccesses: 0,
    consecutiveErrors: 0,
    blockedRepeats: 0,
    recoveries: 1,
    toolsUsed: ["read", "write"],
    usage: { inputTokens: 300, outputTokens: 30, cacheReadTokens: 120, cacheWriteTokens: 60 },
  });
  assert.ok(durationMs > 0);
  // 40 new at 10, 40 read at 1, 20 written at 12 and 10 out at 20, three times.
  assert.equal(cost?.toFixed(7), ((3 * (400 + 40 + 240 + 200)) / 1_000_000).toFixed(7));
  const second = (await agent.send("More.")).statistics;
  assert.deepEqual(
    [second.turns, second.calls, second.failures, second.recoveries, second.toolsUsed, second.consecutiveErrors],
    [2, 2, 1, 0, ["read"], 1],
  );
  assert.equal(agent.spent.usage.inputTokens, 500);
});

test("a listener that throws does not break the run, and every start has its end [L1]", async (t) => {
  const { runtime } = await openTestAgent(t);
  const { agent, eventsOf } = await openAgentOf(t, runtime, {
    turns: [{ calls: [{ tool: "list_files", input: {} }] }, "Done."],
  });
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", onWarning);
  t.after(() => void process.off("warning", onWarning));
  const off = agent.on(({ type }) => {
    if (type === "run:started") throw new Error("a listener of the test");
  });
  assert.equal((await agent.send("Look.")).state, "answered");
  await until("the warning", () => warnings.includes("a listener of the test"));
  off();
  assert.deepEqual(
    (["run:started", "run:ended", "call:added", "call:settled"] as const).map((type) => eventsOf(type).length),
    [1, 1, 1, 1],
  );
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
