import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/core/approval.ts";
import type { ToolResult } from "../../src/core/tool.ts";
import { createLatch, looseTool, setUpEngine, settleDown, type Latch } from "../support/engine.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { second, setUpSlowTool } from "./slow-tool.ts";

test("the wall limit stops a call however lively it is [E3]", async () => {
  const { engine, clock, context } = setUpSlowTool();
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
  const { engine, clock, context } = setUpSlowTool();
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
  const { engine, clock, context } = setUpSlowTool({ ask });
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
  const { engine, clock, context } = setUpSlowTool({ ask: () => Promise.reject(new Error("terminal lost")) });
  const call = engine.call({ tool: "slow" });
  await settleDown();
  await assert.rejects(context().ask({ text: "?" }), /terminal lost/);
  clock.advance(3 * second);
  assert.equal((await call).stopCause, "idle");
});
