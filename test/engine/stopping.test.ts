import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolContext, ToolResult } from "../../src/core/tool.ts";
import { createLatch, settleDown, type Latch } from "../support/engine.ts";
import { second, setUpSlowTool } from "./slow-tool.ts";

for (const [what, late] of [
  ["a late result", (end: Latch) => end.open()],
  ["nothing at all", () => undefined],
] as const) {
  test(`a tool that ignores its signal and gives ${what} still settles as timeout, without proof [E1 E3]`, async () => {
    const { engine, clock, end, events } = setUpSlowTool({ ignoresSignal: true });
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
  const { engine, clock, events } = setUpSlowTool({
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
  const limitFirst = setUpSlowTool();
  const timedOut = limitFirst.engine.call({ tool: "slow" });
  await settleDown();
  limitFirst.clock.advance(3 * second);
  assert.equal(limitFirst.engine.cancel(timedOut.id, "too late"), false);
  assert.deepEqual([(await timedOut).state, (await timedOut).stopCause], ["timeout", "idle"]);

  const cancelFirst = setUpSlowTool({ ignoresSignal: true });
  const cancelled = cancelFirst.engine.call({ tool: "slow" });
  await settleDown();
  assert.equal(cancelFirst.engine.cancel(cancelled.id, "first"), true);
  cancelFirst.clock.advance(0.5 * second);
  cancelFirst.end.open();
  const { state, stopCause, result, error, stopProof } = await cancelled;
  assert.deepEqual([state, stopCause, error, stopProof], ["cancelled", "cancel", "first", "cooperative"]);
  assert.deepEqual(result, { ok: false, error: "first", output: "returned" });

  const resultFirst = setUpSlowTool();
  const done = resultFirst.engine.call({ tool: "slow" });
  await settleDown();
  resultFirst.end.open();
  await settleDown();
  assert.equal(resultFirst.engine.cancel(done.id, "too late"), false);
  assert.deepEqual([(await done).state, (await done).stopCause], ["completed", null]);
});

test("once the tool has returned, a cancel in any following microtask is too late and says so [E1 E5]", async () => {
  for (let microtasks = 1; microtasks < 12; microtasks++) {
    const { engine, end } = setUpSlowTool();
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
  const { engine } = setUpSlowTool({
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
  const { engine } = setUpSlowTool({
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
  const { engine, clock } = setUpSlowTool({
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

test("an abort listener that throws breaks only its own call, however it was added [E1 E3]", async () => {
  const removed: string[] = [];
  const { engine, clock } = setUpSlowTool({
    run(input, { signal }) {
      const { breaks } = input as { readonly breaks?: boolean };
      const { promise, resolve } = Promise.withResolvers<ToolResult>();
      const never = (): void => void removed.push("called");
      signal.addEventListener("abort", never);
      signal.removeEventListener("abort", never);
      if (breaks === true) {
        signal.addEventListener("abort", () => {
          throw new Error("no handle");
        });
        const rejects: (event: Event) => unknown = () => Promise.reject(new Error("no promise"));
        signal.addEventListener("abort", rejects);
        signal.addEventListener("abort", {
          handleEvent() {
            throw new Error("no object");
          },
        });
      }
      signal.addEventListener("abort", () => resolve({ ok: true, output: "stopped" }), { once: true });
      return promise;
    },
  });
  const [broken, whole] = [engine.call({ tool: "slow", input: { breaks: true } }), engine.call({ tool: "slow" })];
  await settleDown();
  engine.cancel(broken.id, "enough");
  const end = await broken;
  assert.deepEqual(
    [end.state, end.error, engine.get(whole.id)?.state],
    [
      "cancelled",
      "enough; a listener of the tool's signal failed: no handle; a listener of the tool's signal failed: no object; a listener of the tool's signal failed: no promise",
      "running",
    ],
  );
  engine.cancel(whole.id, "enough");
  assert.equal((await whole).error, "enough");
  assert.deepEqual([removed, clock.waiting], [[], 0]);
});
