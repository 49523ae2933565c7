import assert from "node:assert/strict";
import { test } from "node:test";
import { looseTool, setUpEngine, settleDown, until } from "../support/engine.ts";
import { createLatchTool } from "../support/latch-tool.ts";

const chatty = looseTool({
  name: "chatty",
  resources: () => [],
  async run(input, context) {
    for (let at = 0; at < 3; at++) {
      context.progress({ output: `${at}` });
      await Promise.resolve();
    }
    return input["fails"] === true ? { ok: false, error: "no" } : { ok: true, output: "x".repeat(500) };
  },
});

test("the events of one call come as created, started, progressed, settled, each with all it promises [E8 E9]", async () => {
  const { engine, events } = setUpEngine({ tools: [chatty] });
  const execution = await engine.call({ tool: "Chatty", door: "mcp", conversationId: "c" });
  await settleDown();
  const { id } = execution;
  const stamped = events.map(({ seq, at, ...event }, index) => {
    assert.equal(seq, index + 1);
    assert.equal(typeof at, "number");
    return event;
  });
  const names = { toolName: "Chatty", toolId: "chatty" };
  assert.deepEqual(stamped, [
    { type: "execution:created", id, ...names, toolInput: {}, door: "mcp", conversationId: "c", batchId: null },
    {
      type: "execution:started",
      id,
      ...names,
      toolInput: {},
      version: "builtin",
      route: "stable",
      attempt: 1,
      timeoutMs: 120_000,
    },
    ...["0", "1", "2"].map((output) => ({ type: "execution:progressed", id, progress: { output } })),
    {
      type: "execution:settled",
      id,
      ...names,
      state: "completed",
      runPhase: "returned",
      error: null,
      errorType: null,
      durationMs: execution.durationMs,
      summary: "x".repeat(200),
    },
  ]);
});

test("the events of many overlapping calls keep each call's own order [E8]", async () => {
  const { engine, events } = setUpEngine({ tools: [chatty], limits: { maxParallel: 8 } });
  const batch = engine.openBatch({});
  for (let at = 0; at < 40; at++) batch.add({ tool: at % 5 === 0 ? "nope" : "chatty", input: { at } });
  const executions = await batch.end();
  await settleDown();
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  for (const { id, toolId } of executions) {
    const types = events.filter((event) => "id" in event && event.id === id).map(({ type }) => type.split(":")[1]);
    const progress = ["progressed", "progressed", "progressed"];
    assert.deepEqual(types, toolId === null ? ["created", "settled"] : ["created", "started", ...progress, "settled"]);
  }
});

test("listeners that throw, reject or unsubscribe leave every execution as it would be without them [E8]", async () => {
  const { engine, bus, eventsOf } = setUpEngine({ tools: [chatty] });
  bus.on("*", () => {
    throw new Error("sync");
  });
  bus.on("execution:started", () => Promise.reject(new Error("async")));
  let heardOnce = 0;
  const off = bus.on("execution:created", () => {
    heardOnce += 1;
    off();
  });
  const executions = await Promise.all(
    Array.from({ length: 10 }, (_, at) => engine.call({ tool: "chatty", input: { at } })),
  );
  assert.ok(executions.every(({ state }) => state === "completed"));
  await settleDown();
  assert.equal(heardOnce, 1);
  assert.equal(eventsOf("execution:settled").length, 10);
  // One complaint of the first listener for each of 10 × 6 events, one of the second for each of 10.
  assert.equal(eventsOf("listener:failed").length, 70);
});

test("a listener that takes 50 ms for every event changes no outcome and misses no event [E8]", async () => {
  const { engine, bus } = setUpEngine({ tools: [chatty] });
  const heard: number[] = [];
  bus.on("*", ({ seq }) => {
    const end = performance.now() + 50;
    while (performance.now() < end);
    heard.push(seq);
  });
  const executions = await Promise.all([1, 2, 3].map((at) => engine.call({ tool: "chatty", input: { at } })));
  assert.deepEqual(
    executions.map(({ state }) => state),
    ["completed", "completed", "completed"],
  );
  await until(() => heard.length === 18, "all 18 events");
  assert.deepEqual(
    heard,
    Array.from({ length: 18 }, (_, at) => at + 1),
  );
});

test("whoever hears that a call has ended finds it among the finished and no longer under way [E5 E8]", async () => {
  const { engine, bus } = setUpEngine({ tools: [chatty] });
  const found: unknown[] = [];
  bus.on("execution:settled", ({ id }) => {
    found.push([
      engine.get(id)?.state,
      engine.finished(1)[0]?.id === id,
      engine.underWay().length,
      engine.cancel(id, ""),
    ]);
  });
  await engine.call({ tool: "chatty" });
  await settleDown();
  assert.deepEqual(found, [["completed", true, 0, false]]);
});

test("a listener may cancel the call it hears of, or start another [E8 E5]", async () => {
  const latch = createLatchTool();
  const { engine, bus, eventsOf } = setUpEngine({ tools: [latch.tool, chatty] });
  bus.on("execution:started", ({ id, toolId }) => {
    if (toolId === "latch") assert.equal(engine.cancel(id, "heard enough"), true);
  });
  const more: Promise<unknown>[] = [];
  bus.on("execution:settled", ({ toolId }) => {
    if (toolId === "latch") more.push(engine.call({ tool: "chatty" }));
  });
  const { state, error } = await engine.call({ tool: "latch", input: { name: "a" } });
  assert.deepEqual([state, error], ["cancelled", "heard enough"]);
  await settleDown();
  await Promise.all(more);
  await settleDown();
  assert.equal(eventsOf("execution:settled").length, 2);
});
