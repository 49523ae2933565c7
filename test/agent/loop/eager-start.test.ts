import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { AgentEvent } from "../../../src/core/events.ts";
import { callsOf } from "../../../src/core/message.ts";
import { serveScript } from "../../../packages/testing/src/serve-script.ts";
import { openTestModel } from "../../models/support/open-test-model.ts";
import { afterTest } from "../../support/after-test.ts";
import { openAgentOf, openTestAgent, resultsIn, type AgentUnderTest } from "../../support/agent.ts";
import { createLatch } from "../../support/engine.ts";
import { createLatchTool } from "../../support/latch-tool.ts";
import { until } from "../../support/runtime.ts";
import { createSkippingClock, skipRetryDelays } from "../../support/skipping-clock.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const files = { "a.txt": "alpha\n", "b.txt": "beta\n" };
const readA = { tool: "read", input: { file_path: "a.txt" } };
const acceptEdits = { settings: { permissions: { mode: "accept-edits" } } } as const;

/** The script goes on behind its pause once the agent told this. */
function pauseUntil(find: () => AgentUnderTest, isTold: (events: readonly AgentEvent[]) => boolean) {
  return async (): Promise<void> => {
    await until("what the pause of the script waits for", () => isTold(find().events));
  };
}

function settledIn(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "call:settled" ? [event.callId] : []));
}

test("reads and a read-only command are finished before the reply that asks for them ends [P4]", async (t) => {
  const opened: AgentUnderTest = await openTestAgent(t, {
    files,
    sleep: pauseUntil(
      () => opened,
      (events) => settledIn(events).length === 3,
    ),
    turns: [
      {
        parts: [
          readA,
          { tool: "grep", input: { pattern: "beta" } },
          { tool: "bash", input: { command: "cat a.txt b.txt" } },
          { pauseMs: 1 },
          { text: "They are on their way." },
        ],
      },
      { text: "Read." },
    ],
  });
  assert.equal((await opened.agent.send("Look.")).state, "answered");
  const order = opened.events.map(({ type }) => type);
  const finished = order.indexOf("reply:finished");
  assert.ok(order.lastIndexOf("call:settled") < finished, order.join(" "));
  assert.deepEqual(
    opened.eventsOf("call:added").map(({ isEarly }) => isEarly),
    [true, true, true],
  );
  assert.deepEqual(
    resultsIn(opened.messages()).map(({ tool, isError }) => [tool, isError]),
    [
      ["read", false],
      ["grep", false],
      ["bash", false],
    ],
  );
});

for (const protocol of ["anthropic", "openai", "google"] as const) {
  test(`through the protocol of ${protocol} a read is finished before the reply ends [P4 L3]`, async (t) => {
    const read = createLatch();
    const server = await serveScript(
      { turns: [{ parts: [readA, { text: "x", pauseMs: 1 }] }, "Read."] },
      { sleep: () => read.opened },
    );
    afterTest(t, () => server.close());
    const { agent, event, events } = await openTestAgent(t, {
      files,
      model: await openTestModel(protocol, server.url),
    });
    const end = agent.send("Look.");
    await event("call:settled");
    assert.ok(events.every(({ type }) => type !== "reply:finished"));
    read.open();
    assert.equal((await end).state, "answered");
  });
}

test("a write, and every call behind it, waits for the end of the reply [P4]", async (t) => {
  const opened: AgentUnderTest = await openTestAgent(t, {
    files,
    runtime: acceptEdits,
    sleep: pauseUntil(
      () => opened,
      (events) => settledIn(events).length === 1,
    ),
    turns: [
      {
        parts: [
          readA,
          { tool: "write", input: { file_path: "c.txt", content: "c" } },
          { tool: "read", input: { file_path: "b.txt" } },
          { pauseMs: 1 },
          { text: "Written." },
        ],
      },
      "Done.",
    ],
  });
  opened.agent.on(({ type }) => {
    if (type === "reply:finished") seen.push(existsSync(join(opened.home, "c.txt")));
  });
  const seen: boolean[] = [];
  await opened.agent.send("Write it.");
  assert.deepEqual(seen, [false, true], "the file is not there when the reply with the write ends");
  assert.deepEqual(
    opened.eventsOf("call:added").map(({ tool, isEarly }) => [tool, isEarly]),
    [
      ["read", true],
      ["write", false],
      ["read", false],
    ],
  );
});

test("what asks, has a hook before it, changes our own state or is not valid does not start early [P4 L12]", async (t) => {
  const skill = "---\nname: review\ndescription: Reviews.\n---\nRead with care.\n";
  const own = defineTool({
    name: "peek",
    description: "Reads nothing, and says that it breaks.",
    traits: { readOnly: true },
    input: z.object({}),
    resources: () => {
      throw new Error("broken");
    },
    run: () => Promise.resolve({ ok: true, output: "peeked" }),
  });
  const { runtime } = await openTestAgent(t, {
    files: { ...files, "skills/review/SKILL.md": skill, ".env": "A=1\n" },
    runtime: {
      tools: [own],
      ask: () => Promise.resolve({ answered: true, text: "yes" }),
      approve: () => Promise.resolve({ decision: "allow", scope: "once", who: "the test" }),
      settings: {
        permissions: { ask: ["read(b.txt)"], deny: ["bash(ls *)"] },
        hooks: { before: [{ tools: ["glob"], command: ["true"] }] },
      },
    },
  });
  const first = [
    ["ask_user", { question: "Really?" }],
    ["use_skill", { name: "review" }],
    ["read", { file_path: "b.txt" }],
    ["bash", { command: "ls -l" }],
    ["bash", { command: "touch x" }],
    ["bash", { command: "cat a.txt", background: true }],
    ["glob", { pattern: "*.txt" }],
    ["read", { path: 7 }],
    ["nothing_like_it", {}],
  ] as const;
  for (const [tool, input] of first) {
    const { agent, eventsOf } = await openAgentOf(t, runtime, {
      turns: [{ calls: [{ tool, input }, readA] }, "Done."],
    });
    await agent.send("Do it.");
    const added = eventsOf("call:added").map(({ isEarly }) => isEarly);
    assert.deepEqual(added, [false, false], `${tool} ${JSON.stringify(input)}`);
    await agent.close();
  }
});

test("a call whose tool can't say what it touches starts early when it only reads [P4]", async (t) => {
  const peek = defineTool({
    name: "peek",
    description: "Only reads.",
    traits: { readOnly: true },
    input: z.object({}),
    run: () => Promise.resolve({ ok: true, output: "peeked" }),
  });
  const { agent, eventsOf } = await openTestAgent(t, {
    runtime: { tools: [peek] },
    turns: [{ calls: [{ tool: "call_tool", input: { name: "peek", input: {} } }] }, "Done."],
  });
  await agent.send("Peek.");
  assert.deepEqual(
    eventsOf("call:added").map(({ tool, isEarly }) => [tool, isEarly]),
    [["peek", true]],
  );
});

test("a cut reply cancels what it started, leaves no trace, and the retry has the call once [P4 L3]", async (t) => {
  const clock = createSkippingClock();
  const latch = createLatchTool({ name: "slow", traits: { readOnly: true } });
  let pauses = 0;
  const opened: AgentUnderTest = await openTestAgent(t, {
    files,
    runtime: { tools: [latch.tool], clock },
    // It is not cut before the call runs.
    sleep: () => (pauses++ === 0 ? latch.runs("it") : Promise.resolve()),
    turns: [
      {
        text: "Looking.",
        calls: [
          { tool: "slow", input: { name: "it" } },
          { tool: "read", input: { file_path: "a.txt" }, pauseMs: 1 },
        ],
        cut: true,
      },
      "Seen.",
    ],
  });
  const { agent, events, eventsOf, requests, messages, runtime } = opened;
  const end = agent.send("Look.");
  await opened.event("model:retrying");
  assert.deepEqual([...latch.running], [], "what had started is stopped before the retry");
  assert.equal(eventsOf("call:settled")[0]!.state, "cancelled");
  latch.finishAll();
  clock.skip(eventsOf("model:retrying")[0]!.delayMs);
  assert.equal((await end).state, "answered");

  assert.deepEqual(latch.started, ["it", "it"]);
  assert.deepEqual(requests[1]!.messages, requests[0]!.messages, "the same request goes out again");
  assert.deepEqual(
    messages().flatMap((message) => (message.role === "assistant" ? callsOf(message.parts) : [])).length,
    2,
  );
  assert.deepEqual(
    resultsIn(messages()).map(({ tool, isError }) => [tool, isError]),
    [
      ["slow", false],
      ["read", false],
    ],
  );
  assertValidConversation(messages());
  const file = readFileSync(join(opened.home, ".deckhand/sessions", `${agent.sessionId}.jsonl`), "utf8");
  const cancelled = events.find((event) => event.type === "call:settled" && event.state === "cancelled");
  assert.ok(cancelled?.type === "call:settled" && !file.includes(cancelled.executionId));
  // It stays in the history of calls.
  assert.equal((await runtime.get(cancelled.executionId))?.state, "cancelled");
});

test("a stream cut inside a call's arguments runs nothing twice and nothing half [P4 L3]", async (t) => {
  for (const protocol of ["anthropic", "openai", "google"] as const) {
    const server = await serveScript({
      turns: [
        { calls: [readA, { tool: "bash", input: { command: "echo once >> count.txt" } }], cut: true },
        { fail: { kind: "cut", after: 1 }, calls: [{ tool: "bash", input: { command: "echo twice >> count.txt" } }] },
        "Counted.",
      ],
    });
    afterTest(t, () => server.close());
    const clock = createSkippingClock();
    const { agent, home, eventsOf, messages } = await openTestAgent(t, {
      files,
      model: await openTestModel(protocol, server.url),
      runtime: { clock, settings: { permissions: { allow: ["bash"] } } },
    });
    skipRetryDelays(agent, clock);
    const end = await agent.send("Count.");
    assert.equal(end.state, "answered", end.reason ?? "");
    assert.equal(readFileSync(join(home, "count.txt"), "utf8"), "once\ntwice\n", protocol);
    assert.deepEqual(
      eventsOf("reply:discarded").map(({ kind }) => kind),
      ["cut", "cut"],
    );
    assertValidConversation(messages());
  }
});
