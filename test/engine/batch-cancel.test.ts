import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { Resource } from "../../src/core/tool.ts";
import { createLatch, looseTool, setUpEngine, settleDown } from "../support/engine.ts";
import { createLatchTool } from "../support/latch-tool.ts";

const writeA: readonly Resource[] = [{ kind: "path", path: "a", access: "write" }];
const anything: readonly Resource[] = [{ kind: "everything", access: "write" }];

for (const [what, touches] of [
  ["that write the same", writeA],
  ["that may write anything", anything],
] as const) {
  test(`of three calls ${what}, cancelling the waiting second lets the third not overtake the first [P3 P8]`, async () => {
    const latch = createLatchTool();
    const { engine } = setUpEngine({ tools: [latch.tool] });
    const batch = engine.openBatch({});
    batch.add({ tool: "latch", input: { name: "one", touches } });
    const two = batch.add({ tool: "latch", input: { name: "two", touches } });
    batch.add({ tool: "latch", input: { name: "three", touches } });
    const ended = batch.end();
    await latch.runs("one");
    assert.equal(engine.cancel(two.id, "not needed"), true);
    assert.equal(engine.cancel(two.id, "again"), false);
    const cancelled = await two.execution;
    assert.deepEqual(
      [cancelled.state, cancelled.error, cancelled.runPhase, cancelled.stopCause],
      ["cancelled", "not needed", "not_started", "cancel"],
    );
    await settleDown();
    assert.deepEqual(latch.started, ["one"]);
    latch.finish("one");
    await latch.runs("three");
    latch.finish("three");
    assert.deepEqual(
      (await ended).map(({ state }) => state),
      ["completed", "cancelled", "completed"],
    );
  });
}

test("calls behind one that may write anything can be cancelled in any order, and the rest still runs [P3 P8]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool] });
  const batch = engine.openBatch({});
  const entries = Array.from({ length: 6 }, (_, at) =>
    batch.add({ tool: "latch", input: { name: `${at}`, touches: at % 2 === 0 ? anything : writeA } }),
  );
  const ended = batch.end();
  await latch.runs("0");
  for (const at of [4, 1, 2]) assert.equal(engine.cancel(entries[at]!.id, "no"), true);
  await settleDown();
  assert.deepEqual(latch.started, ["0"]);
  latch.finishAll();
  assert.deepEqual(
    (await ended).map(({ state }) => state),
    ["completed", "cancelled", "cancelled", "completed", "cancelled", "completed"],
  );
  assert.deepEqual(latch.started, ["0", "3", "5"]);
});

test("cancel while waiting for a slot ends the call at once and gives the slot to the next in line [P8]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool], limits: { maxParallel: 1 } });
  const [first, second, third] = ["1", "2", "3"].map((name) => engine.call({ tool: "latch", input: { name } }));
  await latch.runs("1");
  await settleDown();
  assert.equal(engine.cancel(second!.id, "changed my mind"), true);
  const cancelled = await second!;
  assert.deepEqual([cancelled.state, cancelled.runPhase, cancelled.startedAt], ["cancelled", "not_started", null]);
  latch.finish("1");
  await latch.runs("3");
  latch.finish("3");
  assert.deepEqual([(await first!).state, (await third!).state], ["completed", "completed"]);
  assert.deepEqual(latch.started, ["1", "3"]);
});

test("cancel in the very tick of the grant gives the slot back exactly once [P8]", async () => {
  for (let microtasks = 0; microtasks < 12; microtasks++) {
    const latch = createLatchTool();
    const { engine } = setUpEngine({ tools: [latch.tool], limits: { maxParallel: 2 } });
    const holders = ["h1", "h2"].map((name) => engine.call({ tool: "latch", input: { name } }));
    await latch.runs("h2");
    const waiter = engine.call({ tool: "latch", input: { name: "waiter" } });
    await settleDown();
    latch.finish("h1");
    for (let left = microtasks; left > 0; left--) await Promise.resolve();
    assert.equal(engine.cancel(waiter.id, "just then"), true);
    assert.equal((await waiter).state, "cancelled");
    latch.finish("h2");
    await Promise.all(holders);
    for (const name of ["p1", "p2", "p3"]) void engine.call({ tool: "latch", input: { name } });
    await settleDown();
    assert.deepEqual([...latch.running], ["p1", "p2"], `after ${microtasks} microtasks`);
    latch.finishAll();
    await engine.cancelAll("over");
  }
});

test("cancel right after the call came, with all slots taken, ends it without waiting for one [P8]", async () => {
  const latch = createLatchTool();
  const { engine, ledger } = setUpEngine({ tools: [latch.tool], limits: { maxParallel: 1 } });
  const holder = engine.call({ tool: "latch", input: { name: "holder" } });
  await latch.runs("holder");
  for (let microtasks = 0; microtasks < 12; microtasks++) {
    const waiter = engine.call({ tool: "latch", input: { name: "waiter" } });
    for (let left = microtasks; left > 0; left--) await Promise.resolve();
    assert.equal(engine.cancel(waiter.id, "at once"), true);
    assert.equal((await waiter).state, "cancelled");
  }
  assert.equal(ledger.openedWith.length, 1);
  latch.finish("holder");
  await holder;
});

test("a call whose caller's signal had fired asks nobody, runs nothing and waits for no slot [P8]", async () => {
  const latch = createLatchTool();
  let asked = 0;
  const { engine, ledger } = setUpEngine({
    tools: [latch.tool],
    limits: { maxParallel: 1 },
    permit() {
      asked += 1;
      return { decision: "allow" };
    },
  });
  const holder = engine.call({ tool: "latch", input: { name: "holder" } });
  await latch.runs("holder");
  const signal = AbortSignal.abort();
  const batch = engine.openBatch({ signal });
  batch.add({ tool: "latch", input: { name: "in a batch", touches: anything } });
  const single = engine.call({ tool: "latch", input: { name: "alone" }, signal });
  for (const execution of [await single, ...(await batch.end())]) {
    assert.deepEqual(
      [execution.state, execution.error, execution.runPhase],
      ["cancelled", "Cancelled while waiting to run", "not_started"],
    );
  }
  assert.equal(asked, 1);
  assert.equal(ledger.openedWith.length, 1);
  latch.finish("holder");
  await holder;
});

test("a batch's signal stops its calls, running and waiting, and no others [P8]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool] });
  const controller = new AbortController();
  const batch = engine.openBatch({ signal: controller.signal });
  const other = engine.call({ tool: "latch", input: { name: "other" } });
  for (const name of ["one", "two"]) batch.add({ tool: "latch", input: { name, touches: writeA } });
  await latch.runs("one");
  controller.abort();
  batch.add({ tool: "latch", input: { name: "late" } });
  const executions = await batch.end();
  assert.deepEqual(
    executions.map(({ state, runPhase }) => [state, runPhase]),
    [
      ["cancelled", "returned"],
      ["cancelled", "not_started"],
      ["cancelled", "not_started"],
    ],
  );
  assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  latch.finish("other");
  assert.equal((await other).state, "completed");
});

test("no listener stays on a caller's signal, however the calls end [P8]", async () => {
  const latch = createLatchTool();
  latch.finishAll();
  const { engine } = setUpEngine({ tools: [latch.tool] });
  const { signal } = new AbortController();
  const batch = engine.openBatch({ signal });
  for (let at = 0; at < 20; at++) batch.add({ tool: at % 2 ? "latch" : "nope", input: { name: `${at}` }, signal });
  await Promise.all([batch.end(), engine.call({ tool: "latch", input: { name: "x" }, signal })]);
  await settleDown();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("calls on behalf of a running call share its slot, one at a time, and can't lock it [P1]", async () => {
  const latch = createLatchTool();
  const parents: string[] = [];
  const bridge = looseTool({
    name: "bridge",
    async run(input, { executionId }) {
      parents.push(executionId);
      const children = ["x", "y"].map((name) =>
        engine.call({ tool: "latch", input: { name: `${String(input["name"])}${name}` }, parentId: executionId }),
      );
      const states = (await Promise.all(children)).map(({ state, parentId }) => `${state} ${parentId === executionId}`);
      return { ok: true, output: states.join(", ") };
    },
  });
  const { engine } = setUpEngine({ tools: [latch.tool, bridge], limits: { maxParallel: 2 } });
  const calls = ["a", "b"].map((name) => engine.call({ tool: "bridge", input: { name } }));
  await latch.runs("bx");
  await settleDown();
  assert.deepEqual([...latch.running], ["ax", "bx"]);
  latch.finish("ax");
  await latch.runs("ay");
  assert.deepEqual([...latch.running], ["bx", "ay"]);
  latch.finishAll();
  for (const call of calls) assert.equal((await call).result?.output, "completed true, completed true");
});

test("naming a parent that is unknown, waiting or over gives no way around the slots [P1]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool], limits: { maxParallel: 1 } });
  const over = await engine.call({ tool: "nope" });
  const holder = engine.call({ tool: "latch", input: { name: "holder" } });
  await latch.runs("holder");
  const waiting = engine.call({ tool: "latch", input: { name: "waiting" } });
  const intruders = ["made up", over.id, waiting.id].map((parentId, at) =>
    engine.call({ tool: "latch", input: { name: `intruder ${at}` }, parentId }),
  );
  await settleDown();
  assert.deepEqual(latch.started, ["holder"]);
  latch.finishAll();
  for (const each of [holder, waiting, ...intruders]) assert.equal((await each).state, "completed");
  assert.equal(latch.peak, 1);
});

test("cancelAll stops everything and resolves when all of it has ended [E5]", async () => {
  const latch = createLatchTool();
  const asked = createLatch();
  const { engine } = setUpEngine({
    tools: [latch.tool],
    limits: { maxParallel: 1 },
    permit({ input }) {
      if ((input as { readonly name: string }).name !== "asking") return { decision: "allow" };
      asked.open();
      return new Promise(() => undefined);
    },
  });
  const calls = ["running", "waiting", "asking"].map((name) => engine.call({ tool: "latch", input: { name } }));
  await Promise.all([latch.runs("running"), asked.opened]);
  await engine.cancelAll("closing");
  assert.deepEqual(engine.underWay(), []);
  for (const call of calls) assert.deepEqual([(await call).state, (await call).error], ["cancelled", "closing"]);
});
