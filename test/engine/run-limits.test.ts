import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/core/question.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/core/tool.ts";
import {
  createLatch,
  looseTool,
  setUpEngine,
  settleDown,
  type EngineUnderTest,
  type Latch,
} from "../support/engine.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";

const second = 1000;

interface Stage extends EngineUnderTest<ManualClock> {
  /** What the tool was given, once it runs. */
  readonly context: () => ToolContext;
  readonly end: Latch;
}

/** An engine on a manual clock with one tool, `slow`: 10 s wall, 3 s idle, 1 s to stop. */
function setUp(options: Partial<Tool> & { readonly ignoresSignal?: boolean; ask?: () => Promise<Answer> } = {}): Stage {
  const { ignoresSignal, ask, ...given } = options;
  const end = createLatch();
  let context: ToolContext | undefined;
  const slow: Tool = {
    ...looseTool({
      name: "slow",
      timeoutMs: 10 * second,
      idleMs: 3 * second,
      stopMs: second,
      resources: () => [],
      async run(_input, seen): Promise<ToolResult> {
        context = seen;
        const stopped = createLatch();
        if (!ignoresSignal) seen.signal.addEventListener("abort", () => stopped.open());
        await Promise.race([end.opened, stopped.opened]);
        return { ok: true, output: "returned" };
      },
    }),
    ...given,
  };
  const clock = createManualClock();
  const set = setUpEngine({ tools: [slow], clock, limits: { maxParallel: 1 }, ...(ask ? { ask } : {}) });
  return {
    ...set,
    end,
    context() {
      assert.ok(context, "the tool does not run");
      return context;
    },
  };
}

test("the wall limit stops a call however lively it is [E3]", async () => {
  const { engine, clock, context } = setUp();
  const call = engine.call({ tool: "slow" });
  await settleDown();
  for (let passed = 0; passed < 9; passed++) {
    clock.advance(second);
    context().progress({ message: "alive" });
  }
  assert.equal(engine.get(call.id)?.state, "running");
  clock.advance(second);
  const { state, error, errorType, stopCause, stopProof, runPhase, durationMs, timeoutMs } = await call;
  assert.deepEqual(
    { state, error, errorType, stopCause, stopProof, runPhase, durationMs, timeoutMs },
    {
      state: "timeout",
      error: "Timeout after 10 s",
      errorType: "timeout",
      stopCause: "wall",
      stopProof: "cooperative",
      runPhase: "returned",
      durationMs: 10 * second,
      timeoutMs: 10 * second,
    },
  );
  assert.equal(clock.waiting, 0);
});

test("the idle limit stops a call that shows no life, and each sign of life starts it again [E3]", async () => {
  const { engine, clock, context } = setUp();
  const call = engine.call({ tool: "slow" });
  await settleDown();
  clock.advance(2.9 * second);
  context().progress({ output: "." });
  clock.advance(2.9 * second);
  context().progress({ done: 1, total: 2 });
  clock.advance(2.9 * second);
  await settleDown();
  assert.equal(engine.get(call.id)?.state, "running");
  clock.advance(0.1 * second);
  const execution = await call;
  assert.deepEqual(
    [execution.state, execution.error, execution.stopCause, execution.idleMs],
    ["timeout", "Timeout: no output for 3 s", "idle", 3 * second],
  );
  assert.ok(Math.abs(execution.durationMs! - 8.8 * second) < 1);
});

test("the clock starts when the tool starts, not while it waits for a person, a slot or its record [E3]", async () => {
  const permitted = createLatch();
  const recorded = createLatch();
  const clock = createManualClock();
  const starts = createLatch();
  const ends = createLatch();
  const { engine, ledger } = setUpEngine({
    clock,
    limits: { maxParallel: 1 },
    tools: [
      looseTool({
        name: "quick",
        timeoutMs: second,
        async run({ holds }, { signal }): Promise<ToolResult> {
          if (holds === true) await ends.opened;
          else starts.open();
          return { ok: true, output: String(signal.aborted) };
        },
      }),
    ],
    permit: ({ input }) =>
      (input as { readonly holds?: boolean }).holds
        ? { decision: "allow" }
        : permitted.opened.then(() => ({ decision: "allow" })),
  });
  ledger.opened = ({ toolInput }) => ((toolInput as { readonly holds?: boolean }).holds ? undefined : recorded.opened);
  const holder = engine.call({ tool: "quick", input: { holds: true }, timeoutMs: 500 * second });
  const call = engine.call({ tool: "quick" });
  await settleDown();
  clock.advance(100 * second);
  permitted.open();
  await settleDown();
  assert.equal(engine.get(call.id)?.state, "pending");
  clock.advance(100 * second);
  ends.open();
  await holder;
  await settleDown();
  clock.advance(100 * second);
  recorded.open();
  await starts.opened;
  const { state, result, durationMs, createdAt, startedAt, completedAt } = await call;
  assert.deepEqual([state, result?.output, durationMs], ["completed", "false", 0]);
  assert.equal(startedAt! - createdAt, 200 * second);
  assert.equal(completedAt! - createdAt, 300 * second);
});

test("wall and idle stand still while the person is asked, also with questions inside questions [E3]", async () => {
  const answers: Latch[] = [];
  const ask = async (): Promise<Answer> => {
    const latch = createLatch();
    answers.push(latch);
    await latch.opened;
    return { answered: true, text: "yes" };
  };
  const { engine, clock, context } = setUp({ ask });
  const call = engine.call({ tool: "slow" });
  await settleDown();
  clock.advance(2 * second);
  const outer = context().ask({ text: "outer?" });
  clock.advance(1000 * second);
  const inner = context().ask({ text: "inner?" });
  clock.advance(1000 * second);
  answers[0]!.open();
  assert.deepEqual(await outer, { answered: true, text: "yes" });
  clock.advance(1000 * second);
  assert.equal(engine.get(call.id)?.state, "running");
  answers[1]!.open();
  await inner;
  await settleDown();
  assert.equal(clock.waiting, 2);
  clock.advance(2.9 * second);
  await settleDown();
  assert.equal(engine.get(call.id)?.state, "running");
  for (let passed = 0; passed < 5; passed++) {
    context().progress({ message: "alive" });
    clock.advance(second);
  }
  await settleDown();
  assert.equal(engine.get(call.id)?.state, "running");
  clock.advance(0.1 * second);
  assert.deepEqual([(await call).state, (await call).stopCause], ["timeout", "wall"]);
});

test("an answer that fails still lets the clock go on [E3]", async () => {
  const { engine, clock, context } = setUp({ ask: () => Promise.reject(new Error("terminal lost")) });
  const call = engine.call({ tool: "slow" });
  await settleDown();
  await assert.rejects(context().ask({ text: "?" }), /terminal lost/);
  clock.advance(3 * second);
  assert.equal((await call).stopCause, "idle");
});

for (const [what, late] of [
  ["a late result", (end: Latch) => end.open()],
  ["nothing at all", () => undefined],
] as const) {
  test(`a tool that ignores its signal and gives ${what} still settles as timeout, without proof [E1 E3]`, async () => {
    const { engine, clock, end, events } = setUp({ ignoresSignal: true });
    const call = engine.call({ tool: "slow" });
    await settleDown();
    clock.advance(3 * second);
    await settleDown();
    assert.equal(engine.get(call.id)?.state, "running");
    clock.advance(second);
    const execution = await call;
    const before = structuredClone(execution);
    assert.deepEqual(
      [execution.state, execution.runPhase, execution.stopProof, execution.result],
      ["timeout", "started", "none", null],
    );
    assert.match(
      execution.error!,
      /^Timeout: no output for 3 s; it did not stop when told to and may still be running$/,
    );
    late(end);
    await settleDown();
    assert.deepEqual(execution, before);
    assert.equal(events.filter(({ type }) => type === "execution:settled").length, 1);
    assert.equal(clock.waiting, 0);
  });
}

test("a late throw of a tool that was given up is swallowed, and its late words go nowhere [E3]", async () => {
  let seen: ToolContext | undefined;
  const late = createLatch();
  let asked = 0;
  const { engine, clock, events } = setUp({
    ask: () => {
      asked += 1;
      return Promise.resolve({ answered: true, text: "yes" });
    },
    async run(_input, context) {
      seen = context;
      await late.opened;
      throw new Error("too late");
    },
  });
  const call = engine.call({ tool: "slow" });
  await settleDown();
  assert.equal(engine.cancel(call.id, "enough"), true);
  clock.advance(second);
  const before = structuredClone(await call);
  seen!.progress({ message: "still here" });
  assert.deepEqual(await seen!.ask({ text: "hello?" }), { answered: false, reason: "cancelled" });
  seen!.stopped({ proof: "marker", killed: [], survivors: [] });
  late.open();
  await settleDown();
  assert.deepEqual(await call, before);
  assert.equal(asked, 0);
  assert.equal(events.filter(({ type }) => type === "execution:progressed").length, 0);
});

test("the first cause wins: a cancel after the limit, a limit after the cancel, a result after either [E1]", async () => {
  const limitFirst = setUp();
  const timedOut = limitFirst.engine.call({ tool: "slow" });
  await settleDown();
  limitFirst.clock.advance(3 * second);
  assert.equal(limitFirst.engine.cancel(timedOut.id, "too late"), false);
  assert.deepEqual([(await timedOut).state, (await timedOut).stopCause], ["timeout", "idle"]);

  const cancelFirst = setUp({ ignoresSignal: true });
  const cancelled = cancelFirst.engine.call({ tool: "slow" });
  await settleDown();
  assert.equal(cancelFirst.engine.cancel(cancelled.id, "first"), true);
  cancelFirst.clock.advance(0.5 * second);
  cancelFirst.end.open();
  const { state, stopCause, result, error, stopProof } = await cancelled;
  assert.deepEqual([state, stopCause, error, stopProof], ["cancelled", "cancel", "first", "cooperative"]);
  assert.deepEqual(result, { ok: true, output: "returned" });

  const resultFirst = setUp();
  const done = resultFirst.engine.call({ tool: "slow" });
  await settleDown();
  resultFirst.end.open();
  await settleDown();
  assert.equal(resultFirst.engine.cancel(done.id, "too late"), false);
  assert.deepEqual([(await done).state, (await done).stopCause], ["completed", null]);
});

test("once the tool has returned, a cancel in any following microtask is too late and says so [E1 E5]", async () => {
  for (let microtasks = 1; microtasks < 12; microtasks++) {
    const { engine, end } = setUp();
    const call = engine.call({ tool: "slow" });
    await settleDown();
    end.open();
    for (let left = microtasks; left > 0; left--) await Promise.resolve();
    const worked = engine.cancel(call.id, "race");
    const { state, stopCause } = await call;
    assert.deepEqual([state, stopCause], worked ? ["cancelled", "cancel"] : ["completed", null]);
  }
});

test("what the tool says about the processes it stopped is in the record, the weakest proof first [E2]", async () => {
  const { engine } = setUp({
    async run(_input, context): Promise<ToolResult> {
      context.stopped({ proof: "marker", killed: [{ pid: 7, command: "sleep 9" }], survivors: [] });
      context.stopped({ proof: "group", killed: [], survivors: [{ pid: 8, command: "zombie" }] });
      return Promise.resolve({ ok: true, output: "left two behind" });
    },
  });
  const { state, stopProof, killed, survivors } = await engine.call({ tool: "slow" });
  assert.deepEqual(
    { state, stopProof, killed, survivors },
    {
      state: "completed",
      stopProof: "group",
      killed: [{ pid: 7, command: "sleep 9" }],
      survivors: [{ pid: 8, command: "zombie" }],
    },
  );
});

test("survivors of a stop are named in the error [E2]", async () => {
  const { engine } = setUp({
    run: (_input, context) =>
      new Promise((resolve) => {
        context.signal.addEventListener("abort", () => {
          context.stopped({ proof: "none", killed: [], survivors: [{ pid: 8, command: "zombie" }] });
          resolve({ ok: false, error: "killed", output: "half" });
        });
      }),
  });
  const call = engine.call({ tool: "slow" });
  await settleDown();
  engine.cancel(call.id, "stop it");
  const { state, error, result, stopProof } = await call;
  assert.deepEqual([state, stopProof], ["cancelled", "none"]);
  assert.equal(error, "stop it; still alive although it was killed: 8 (zombie)");
  assert.equal(result?.output, "half");
});

test("a tool learns why it is stopped from its signal [E3]", async () => {
  const reasons: unknown[] = [];
  const { engine, clock } = setUp({
    run: (_input, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          resolve({ ok: true, output: "" });
        });
      }),
  });
  const cancelled = engine.call({ tool: "slow" });
  await settleDown();
  engine.cancel(cancelled.id, "by hand");
  await cancelled;
  const timedOut = engine.call({ tool: "slow" });
  await settleDown();
  clock.advance(3 * second);
  await timedOut;
  assert.deepEqual(
    reasons.map((reason) => reason instanceof DOMException && [reason.name, reason.message]),
    [
      ["AbortError", "by hand"],
      ["TimeoutError", "Timeout: no output for 3 s"],
    ],
  );
});
