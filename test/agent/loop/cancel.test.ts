import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestAgent, resultsIn, type AgentUnderTest } from "../../support/agent.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/runtime.ts";
import { assertValidConversation } from "../../support/valid-conversation.ts";

const allowBash = { settings: { permissions: { allow: ["bash"] } } };
/** Writes its beat until it is stopped. */
const beats = { tool: "bash", input: { command: "while :; do echo x >> beat.txt; sleep 0.05; done" } };

async function beatsInVain({ home, runtime }: AgentUnderTest): Promise<void> {
  const [last] = await runtime.list({ limit: 1, toolId: "bash" });
  assert.ok(last, "there was a command");
  assert.deepEqual([last.state, last.survivors], ["cancelled", []]);
  assert.notEqual(last.stopProof, "none");
  assert.ok(existsSync(join(home, "beat.txt")));
}

function whenBeating({ home }: AgentUnderTest): Promise<unknown> {
  return until("the command to run", () => existsSync(join(home, "beat.txt")));
}

test("cancelled calls are stopped, the model hears of it and goes on [L2]", async (t) => {
  const opened = await openTestAgent(t, {
    runtime: allowBash,
    turns: [
      { calls: [beats, { tool: "bash", input: { command: "echo later > later.txt" } }] },
      { text: "You stopped it.", expect: { toolResult: { tool: "bash", isError: true, contains: "Enough of it" } } },
    ],
  });
  const { agent, messages, home } = opened;
  assert.equal(await agent.cancelCalls("Nothing runs"), false);
  const end = agent.send("Beat.");
  await whenBeating(opened);
  assert.equal(await agent.cancelCalls("Enough of it"), true);
  const { state, text, statistics } = await end;
  assert.deepEqual([state, text, statistics.cancelled], ["answered", "You stopped it.", 2]);
  await beatsInVain(opened);
  assert.equal(existsSync(join(home, "later.txt")), false, "what waited behind it does not start instead");
  assert.match(resultsIn(messages())[0]!.text, /^Error: Enough of it\n.*a part of it may be done/);
  assertValidConversation(messages());
});

test("a turn that is stopped while calls run leaves nothing running, and the next prompt goes on [L2]", async (t) => {
  const opened = await openTestAgent(t, { runtime: allowBash, turns: [{ calls: [beats] }, "What else?"] });
  const { agent, messages, eventsOf, requests } = opened;
  const stop = new AbortController();
  const running = agent.send("Beat.", { signal: stop.signal });
  await whenBeating(opened);
  stop.abort();
  const end = await running;
  assert.deepEqual([end.state, end.reason, requests.length], ["cancelled", "Stopped by the user.", 1]);
  await beatsInVain(opened);
  assert.equal(eventsOf("run:ended").length, 1);
  assertValidConversation(messages());
  assert.equal(resultsIn(messages())[0]!.isError, true);
  assert.equal((await agent.send("Never mind.")).text, "What else?");
  assertValidConversation(requests.at(-1)!.messages);
});

test("a turn that is stopped in the stream keeps what was said and drops what was not complete [L2]", async (t) => {
  const stop = new AbortController();
  const opened = await openTestAgent(t, {
    runtime: allowBash,
    // It is stopped while the reply still comes; a reply that does not listen to the signal goes on.
    sleep: () => {
      stop.abort();
      return Promise.resolve();
    },
    turns: [
      { parts: [{ text: "I will begin with" }, { text: " the second half", pauseMs: 1 }, beats] },
      {
        text: "As I said.",
        expect: { contains: "Your last reply was interrupted. Stopped by the user." },
      },
    ],
  });
  const { agent, messages, home, eventsOf, requests } = opened;
  const end = await agent.send("Explain.", { signal: stop.signal });
  assert.deepEqual([end.state, eventsOf("call:added").length], ["cancelled", 0]);
  assert.deepEqual(
    messages().map((message) => (message.role === "tool" ? "" : message.parts)),
    [
      [{ type: "text", text: "Explain." }],
      [{ type: "text", text: "I will begin with" }],
      [{ type: "text", text: "[Note] Your last reply was interrupted. Stopped by the user." }],
    ],
  );
  assertValidConversation(messages());
  assert.equal((await agent.send("Go on.")).state, "answered");
  assertValidConversation(requests.at(-1)!.messages);
  assert.equal(existsSync(join(home, "beat.txt")), false);
});

test("a turn that is stopped while a read of its reply runs ahead stops the read too [L2 P4]", async (t) => {
  const stop = new AbortController();
  const opened: AgentUnderTest = await openTestAgent(t, {
    sleep: async () => {
      await opened.event("call:added");
      stop.abort();
    },
    turns: [
      {
        parts: [
          { tool: "bash", input: { command: "sleep 60" } },
          { text: "x", pauseMs: 1 },
        ],
      },
      "Hm.",
    ],
  });
  const { agent, eventsOf, messages } = opened;
  const end = await agent.send("Wait.", { signal: stop.signal });
  assert.equal(end.state, "cancelled");
  assert.deepEqual(
    eventsOf("call:settled").map(({ state }) => state),
    ["cancelled"],
  );
  assert.equal(messages().length, 1);
});

test("a turn that is stopped while it waits to send again ends at once, also from the listener that hears of it [L2 L3]", async (t) => {
  for (const when of ["listener", "later"] as const) {
    const stop = new AbortController();
    const { agent, requests, messages, event } = await openTestAgent(t, {
      runtime: { clock: createManualClock() },
      turns: [{ fail: { kind: "cut", after: 1, times: 1 }, parts: [{ text: "Half" }, { text: " of it." }] }],
    });
    agent.on(({ type }) => {
      if (type === "model:retrying" && when === "listener") stop.abort();
    });
    const end = agent.send("Hello", { signal: stop.signal });
    await event("model:retrying");
    if (when === "later") setImmediate(() => stop.abort());
    assert.equal((await end).state, "cancelled");
    assert.equal(requests.length, 1);
    assert.equal(messages().length, 1, "what was told to be void is not kept");
    assert.equal((await agent.send("Again.")).text, "Half of it.");
  }
});

test("a prompt whose signal fired before is kept and not sent [L2]", async (t) => {
  const { agent, requests, messages } = await openTestAgent(t);
  const end = await agent.send("Hello", { signal: AbortSignal.abort() });
  assert.deepEqual([end.state, requests.length, messages().length], ["cancelled", 0, 1]);
});

test("an agent that is closed while it works stops first; an undo meanwhile is refused [L2]", async (t) => {
  const opened = await openTestAgent(t, { runtime: allowBash, turns: [{ calls: [beats] }, "Never said."] });
  const { agent, requests, home } = opened;
  const running = agent.send("Beat.");
  await whenBeating(opened);
  await assert.rejects(agent.undo(), { code: "AGENT_BUSY" });
  await agent.close();
  assert.equal((await running).state, "cancelled");
  await beatsInVain(opened);
  assert.equal(requests.length, 1);
  const again = await openTestAgent(t, { home, session: "latest", turns: ["", "Here."].map((text) => ({ text })) });
  assert.deepEqual(again.agent.reconciled, [], "its results were kept");
  assertValidConversation(again.messages());
});
