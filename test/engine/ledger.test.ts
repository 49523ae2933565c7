import assert from "node:assert/strict";
import { test } from "node:test";
import type { Replay } from "../../src/core/tool.ts";
import { createLatch, createRecordingLedger, looseTool, setUpEngine, settleDown } from "../support/engine.ts";
import { createManualClock } from "../support/manual-clock.ts";

function tools(order: string[] = []) {
  return (["safe", "check", "never"] as const).map((replay: Replay) =>
    looseTool({
      name: replay,
      traits: { replay },
      run() {
        order.push("run");
        return Promise.resolve({ ok: true, output: "done" });
      },
    }),
  );
}

for (const how of ["rejects", "throws"] as const) {
  test(`when the intent can't be recorded (the ledger ${how}), nothing runs [E1 E2]`, async () => {
    const order: string[] = [];
    const ledger = createRecordingLedger({
      opened() {
        const full = new Error("The disk is full");
        if (how === "throws") throw full;
        return Promise.reject(full);
      },
    });
    const { engine, events } = setUpEngine({ tools: tools(order), ledger });
    const execution = await engine.call({ tool: "never" });
    assert.deepEqual(
      [execution.state, execution.error, execution.errorType, execution.runPhase, execution.startedAt],
      ["failed", "Not run: it could not be recorded. The disk is full", "store", "not_started", null],
    );
    assert.deepEqual(order, []);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["execution:created", "execution:settled"],
    );
    assert.deepEqual(engine.get(execution.id), execution);
  });
}

test("the intent is recorded before the tool runs, the outcome before it is told [E2]", async () => {
  const order: string[] = [];
  const intent = createLatch();
  const outcome = createLatch();
  const ledger = createRecordingLedger({
    opened({ state, startedAt }) {
      order.push(`opened ${state} ${startedAt !== null}`);
      return intent.opened;
    },
    settled({ state }) {
      order.push(`settled ${state}`);
      return outcome.opened;
    },
  });
  const { engine, bus } = setUpEngine({ tools: tools(order), ledger });
  bus.on("execution:settled", () => order.push("told"));
  const call = engine.call({ tool: "check" });
  void call.then(() => order.push("returned"));
  await settleDown();
  assert.deepEqual(order, ["opened running true"]);
  intent.open();
  await settleDown();
  assert.deepEqual(order, ["opened running true", "run", "settled completed"]);
  assert.deepEqual(engine.underWay(), []);
  assert.equal(engine.get(call.id)?.state, "completed");
  assert.equal(engine.cancel(call.id, "too late"), false);
  outcome.open();
  await settleDown();
  assert.deepEqual(order.slice(3), ["told", "returned"]);
});

for (const how of ["rejects", "throws"] as const) {
  test(`when the outcome can't be recorded (the ledger ${how}), it stands, and an event says so [E1 E8]`, async () => {
    const ledger = createRecordingLedger({
      settled() {
        const full = new Error("The disk is full");
        if (how === "throws") throw full;
        return Promise.reject(full);
      },
    });
    const { engine, eventsOf } = setUpEngine({ tools: tools(), ledger });
    const execution = await engine.call({ tool: "never" });
    assert.equal(execution.state, "completed");
    await settleDown();
    assert.deepEqual(
      eventsOf("ledger:failed").map(({ id, error }) => [id, error]),
      [[execution.id, "The disk is full"]],
    );
    assert.equal(eventsOf("execution:settled").length, 1);
    assert.deepEqual(engine.finished(1), [execution]);
  });
}

test("the ledger is told how each call may be replayed, also one of an unknown tool [E2]", async () => {
  const { engine, ledger } = setUpEngine({ tools: tools() });
  for (const tool of ["safe", "check", "never", "unheard-of"]) await engine.call({ tool });
  assert.deepEqual(
    ledger.openedWith.map(({ replay }) => replay),
    ["safe", "check", "never"],
  );
  assert.deepEqual(
    ledger.settledWith.map(({ replay }) => replay),
    ["safe", "check", "never", "safe"],
  );
});

test("cancel while the intent is being recorded: the call ends cancelled and never ran [E1 P8]", async () => {
  const order: string[] = [];
  const intent = createLatch();
  const ledger = createRecordingLedger({ opened: () => intent.opened });
  const { engine } = setUpEngine({ tools: tools(order), ledger });
  const call = engine.call({ tool: "never" });
  await settleDown();
  assert.equal(engine.cancel(call.id, "wait"), true);
  intent.open();
  const { state, runPhase, startedAt, durationMs } = await call;
  assert.deepEqual([state, runPhase, startedAt, durationMs], ["cancelled", "not_started", null, null]);
  assert.deepEqual(order, []);
});

test("the record of a completed call holds every field of the promise [E2]", async () => {
  const clock = createManualClock(1_000_000);
  const slow = looseTool({
    name: "read",
    traits: { readOnly: true },
    timeoutMs: 5000,
    idleMs: 1000,
    version: "read@abc",
    run() {
      clock.advance(250);
      return Promise.resolve({ ok: true, output: "żółw", data: { lines: 1 }, files: ["/a"] });
    },
  });
  const owner = { pid: 7, startTime: "1", bootId: "b" };
  const { engine } = setUpEngine({ tools: [slow], clock, owner });
  const parent = await engine.call({ tool: "read" });
  const execution = await engine.call({
    tool: "Read_File",
    input: { path: "a" },
    door: "cli",
    conversationId: "c1",
    turn: 3,
    parentId: parent.id,
  });
  assert.deepEqual(execution, {
    id: execution.id,
    toolName: "Read_File",
    toolId: "read",
    toolInput: { path: "a" },
    state: "completed",
    runPhase: "returned",
    result: { ok: true, output: "żółw", data: { lines: 1 }, files: ["/a"] },
    error: null,
    errorType: null,
    note: null,
    createdAt: 1_000_250,
    startedAt: 1_000_250,
    completedAt: 1_000_500,
    durationMs: 250,
    attempt: 1,
    timeoutMs: 5000,
    idleMs: 1000,
    version: "read@abc",
    route: "stable",
    canaryBucket: null,
    door: "cli",
    conversationId: "c1",
    turn: 3,
    parentId: parent.id,
    batchId: null,
    outputBytes: 7,
    stopCause: null,
    stopProof: null,
    killed: [],
    survivors: [],
    owner,
    permission: null,
    sandbox: null,
  });
  assert.match(execution.id, /^call_[0-9a-f-]{36}$/);
});
