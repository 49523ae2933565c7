import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { assembleConversation } from "../../../src/agent/session/assemble-conversation.ts";
import { reconcileSession, type ReconcileOptions } from "../../../src/agent/session/reconcile.ts";
import type { Execution } from "../../../src/core/call.ts";
import type { Session, SessionEntryBody } from "../../../src/core/session.ts";
import { complete, makeExecution } from "../../contract/make-execution.ts";
import { about, reply, results, setUpSessions, user } from "./support.ts";

const notRun = "Not run: the session ended before it started.";
const unknown =
  "Outcome unknown: the session ended while this call was running, so it may or may not have had its effect. Look at what is there now before you repeat it.";

function sent(callId: string, tool = "bash"): SessionEntryBody {
  return { type: "call", callId, executionId: `call_${callId}`, tool };
}

async function open(t: TestContext, ...bodies: SessionEntryBody[]): Promise<Session> {
  const { sessions } = await setUpSessions(t);
  const session = await sessions.create(about);
  for (const body of [user("go"), ...bodies]) session.append(body);
  return session;
}

function lost(given: Partial<Execution>): Execution {
  return makeExecution({ state: "failed", runPhase: "started", error: "lost", errorType: "runtime_lost", ...given });
}

function options(executions: Record<string, Execution>): ReconcileOptions & { readonly reran: string[] } {
  const reran: string[] = [];
  return {
    reran,
    lookUp: async (id) => executions[id],
    replayOf: (tool) => (tool === "read" ? "safe" : tool === "write" ? "check" : "never"),
    async rerun({ callId, tool }) {
      reran.push(callId);
      return { callId, tool, text: "read again", isError: false };
    },
    format: ({ state }, { callId, tool }) => ({
      callId,
      tool,
      text: `recorded: ${state}`,
      isError: state !== "completed",
    }),
  };
}

test("each call under way is finished, not run, repeated where that is safe, or shown as unknown [L11]", async (t) => {
  const calls = ["bash:1", "bash:2", "bash:3", "read:4", "bash:5", "write:6", "read:7", "bash:8", "bash:9", "read:10"];
  const session = await open(
    t,
    // Started before the reply ended.
    sent("1"),
    reply("working", ...calls),
    ...["2", "4", "5", "6", "7", "8", "9", "10"].map((id) => sent(id)),
  );
  const known = options({
    call_1: complete(makeExecution({ id: "call_1" })),
    call_2: makeExecution({ state: "failed", runPhase: "returned", errorType: "exit_code" }),
    call_4: lost({}),
    call_5: lost({}),
    call_6: lost({}),
    // call_7 has no record at all.
    call_8: lost({ runPhase: "not_started" }),
    // As the record is before the tool is entered.
    call_9: makeExecution({ state: "running", runPhase: "not_started" }),
    call_10: makeExecution({ state: "pending", runPhase: "not_started" }),
  });
  const reconciliation = await reconcileSession(session, known);
  assert.deepEqual(
    reconciliation.calls.map(({ call, outcome }) => `${call.callId} ${outcome}`),
    [
      "1 finished",
      "2 finished",
      "3 not_run",
      "4 repeated",
      "5 unknown",
      "6 unknown",
      "7 repeated",
      "8 not_run",
      "9 unknown",
      "10 not_run",
    ],
  );
  assert.deepEqual(
    reconciliation.unknown.map(({ call, executionId }) => [call.callId, executionId]),
    [
      ["5", "call_5"],
      ["6", "call_6"],
      ["9", "call_9"],
    ],
  );
  assert.deepEqual(known.reran, ["4", "7"]);
  const entry = session.branch.at(-1);
  assert.ok(entry?.type === "results");
  assert.deepEqual(
    entry.results.map(({ callId, text, isError }) => [callId, text, isError]),
    [
      ["1", "recorded: completed", false],
      ["2", "recorded: failed", true],
      ["3", notRun, true],
      ["4", "read again", false],
      ["5", unknown, true],
      ["6", unknown, true],
      ["7", "read again", false],
      ["8", notRun, true],
      ["9", unknown, true],
      ["10", notRun, true],
    ],
  );
  const before = session.branch.length;
  assert.deepEqual(await reconcileSession(session, known), { calls: [], unknown: [] });
  assert.equal(session.branch.length, before, "done once is done");
  assert.deepEqual(known.reran, ["4", "7"]);
});

test("calls that were answered before the end keep their answers [L11]", async (t) => {
  const session = await open(t, reply("", "bash:1", "bash:2"), sent("1"), sent("2"), results("bash:1:kept"));
  const { calls } = await reconcileSession(session, options({ call_2: lost({}) }));
  assert.deepEqual(
    calls.map(({ call, outcome }) => [call.callId, outcome]),
    [["2", "unknown"]],
  );
  const last = assembleConversation(session.branch).messages.at(-1);
  assert.ok(last?.role === "tool");
  assert.deepEqual(
    last.results.map(({ text }) => text),
    ["kept", unknown],
  );
});

test("a record that is gone is not taken for a call that did not run [L11]", async (t) => {
  const session = await open(t, reply("", "bash:1"), sent("1"));
  const { calls } = await reconcileSession(session, options({}));
  assert.equal(calls[0]!.outcome, "unknown");
});

test("calls that share an id are told apart by their order, also after a reply that was discarded [L11]", async (t) => {
  const discarded: SessionEntryBody = { type: "call", callId: "1", executionId: "call_discarded", tool: "read" };
  const [first, second] = ["call_a", "call_b"].map((executionId): SessionEntryBody => ({
    type: "call",
    callId: "1",
    executionId,
    tool: "bash",
  }));
  const session = await open(t, discarded, reply("", "bash:1", "bash:1"), first!, second!);
  const { calls } = await reconcileSession(session, options({ call_a: complete(makeExecution()), call_b: lost({}) }));
  assert.deepEqual(
    calls.map(({ executionId, outcome }) => [executionId, outcome]),
    [
      ["call_a", "finished"],
      ["call_b", "unknown"],
    ],
  );
});

test("a session that ended between two turns has nothing to reconcile", async (t) => {
  for (const bodies of [
    [],
    [reply("done")],
    [reply("", "read:1"), results("read:1")],
    [reply("", "read:1"), results("read:1"), reply("x"), user("y")],
  ]) {
    const session = await open(t, ...bodies);
    const before = [...session.branch];
    assert.deepEqual(await reconcileSession(session, options({})), { calls: [], unknown: [] });
    assert.deepEqual(session.branch, before);
  }
});

test("a call that can't be run again is answered all the same", async (t) => {
  const session = await open(t, reply("", "read:1"), sent("1", "read"));
  await reconcileSession(session, {
    ...options({ call_1: lost({}) }),
    rerun: () => Promise.reject(new Error("closed")),
  });
  const entry = session.branch.at(-1);
  assert.ok(entry?.type === "results");
  assert.equal(entry.results[0]!.text, "Error: it was interrupted and could not be run again (closed).");
});

test("a call by the bridge is repeated only when the tool that it names allows it [L11]", async (t) => {
  const bridged = (callId: string, name: string) =>
    ({ type: "call", callId, tool: "call_tool", inputText: JSON.stringify({ name, input: {} }) }) as const;
  const session = await open(
    t,
    { ...reply(""), parts: [bridged("1", "write"), bridged("2", "read")] } as SessionEntryBody,
    sent("1", "call_tool"),
    sent("2", "call_tool"),
  );
  const known = options({ call_1: lost({}), call_2: lost({}) });
  const { calls } = await reconcileSession(session, {
    ...known,
    // The bridge itself only answers wrong use, so it could be repeated.
    replayOf: (tool) => (tool === "call_tool" ? "safe" : known.replayOf(tool)),
  });
  assert.deepEqual(
    calls.map(({ call, outcome }) => `${call.callId} ${outcome}`),
    ["1 unknown", "2 repeated"],
  );
  assert.deepEqual(known.reran, ["2"]);
});
