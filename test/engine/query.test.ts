import assert from "node:assert/strict";
import { test } from "node:test";
import { createHistory } from "../../src/engine/engine.ts";
import { looseTool, setUpEngine } from "../support/engine.ts";
import { createLatchTool } from "../support/latch-tool.ts";

const noop = looseTool({ name: "noop", resources: () => [], run: () => Promise.resolve({ ok: true, output: "" }) });

test("what runs now, what waits and what has ended can be asked for, by id and as a list [E5]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool], limits: { maxParallel: 1 } });
  const running = engine.call({ tool: "latch", input: { name: "runs" } });
  const waiting = engine.call({ tool: "latch", input: { name: "waits" } });
  const ended = await engine.call({ tool: "nope" });
  await latch.runs("runs");
  assert.deepEqual(
    engine.underWay().map(({ id, state }) => [id, state]),
    [
      [running.id, "running"],
      [waiting.id, "pending"],
    ],
  );
  assert.equal(engine.get(running.id)?.runPhase, "started");
  assert.equal(engine.get(waiting.id)?.runPhase, "not_started");
  assert.equal(engine.get(ended.id)?.state, "failed");
  assert.equal(engine.get("call_unknown"), undefined);
  latch.finishAll();
  await Promise.all([running, waiting]);
  assert.deepEqual(
    engine.finished(10).map(({ id }) => id),
    [waiting.id, running.id, ended.id],
  );
});

test("what was asked about a running call does not change when the call goes on [E5]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool] });
  const call = engine.call({ tool: "latch", input: { name: "a" } });
  await latch.runs("a");
  const seen = engine.get(call.id)!;
  latch.finish("a");
  await call;
  assert.equal(seen.state, "running");
});

test("cancel is true once for what is under way, and false for what is unknown or final [E5]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool] });
  const call = engine.call({ tool: "latch", input: { name: "a" } });
  await latch.runs("a");
  assert.equal(engine.cancel("call_unknown", "x"), false);
  assert.equal(engine.cancel(call.id, "enough"), true);
  assert.equal(engine.cancel(call.id, "more than enough"), false);
  const { state, error } = await call;
  assert.deepEqual([state, error], ["cancelled", "enough"]);
  assert.equal(engine.cancel(call.id, "again"), false);
});

test("a hundred finished calls are kept, the newest first, and the oldest goes [E5]", async () => {
  const { engine } = setUpEngine({ tools: [noop] });
  const ids: string[] = [];
  for (let at = 0; at < 105; at++) ids.push((await engine.call({ tool: "noop", input: { at } })).id);
  assert.equal(engine.finished(1000).length, 100);
  assert.deepEqual(
    engine.finished(3).map(({ id }) => id),
    ids.slice(-3).toReversed(),
  );
  assert.equal(engine.get(ids[4]!), undefined);
  assert.equal(engine.get(ids[5]!)?.id, ids[5]);
  for (const limit of [0, -1]) assert.deepEqual(engine.finished(limit), []);
});

test("a history keeps as many as it is told [E5]", () => {
  const history = createHistory(2);
  for (const id of ["a", "b", "c"]) history.add({ id } as never);
  assert.deepEqual(
    history.last(10).map(({ id }) => id),
    ["c", "b"],
  );
});

test("a call has its id before it ends, and ids sort by creation [E2 E5]", async () => {
  const { engine } = setUpEngine({ tools: [noop] });
  const calls = Array.from({ length: 50 }, () => engine.call({ tool: "noop" }));
  const ids = calls.map(({ id }) => id);
  assert.deepEqual(ids, ids.toSorted());
  for (const [at, call] of calls.entries()) assert.equal((await call).id, ids[at]);
});
