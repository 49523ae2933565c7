import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTask } from "../contract/make-task.ts";
import { afterTest } from "../support/after-test.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openTaskStore, openTasks } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

test("a task that waits for an agent that left the settings fails after a while, and says so [T6] [T8]", async (t) => {
  const clock = createManualClock(Date.now());
  const { manager, store, events } = await openTasks(t, { clock });
  const tasks = [1, 2, 3, 4, 5, 6].map(() => makeTask({}, { agent: "sid" }));
  for (const task of tasks) await store.add(task);
  await manager.adopt();
  await until(async () => {
    clock.advance(1000);
    return (await store.count({ states: ["queued"] })) === 0;
  }, "their end");
  for (const { id } of tasks) {
    const end = (await store.get(id))!;
    const sentence = 'Unknown agent "sid". Did you mean "said"? Available: said, plain, missing.';
    assert.deepEqual([end.state, end.error], ["failed", sentence]);
  }
  assert.equal(events.filter(({ type }) => type === "task:settled").length, tasks.length);
});

test("one whose agent another process knows is left to that one for as long as it runs any [T6] [T7]", async (t) => {
  const clock = createManualClock(Date.now());
  const folder = await temporaryFolder(t);
  const inner = await openTaskStore(t, folder);
  let looks = 0;
  const queuedAgents = (): Promise<string[]> => ((looks += 1), inner.queuedAgents());
  const store = { ...inner, queuedAgents };
  const { processes } = await openTasks(t, { clock, store }, folder);
  const running = makeTask({ state: "running", owner: processes.identity }, { agent: "theirs" });
  const waiting = makeTask({}, { agent: "theirs" });
  for (const task of [running, waiting]) await store.add(task);
  const endRunning = (): Promise<unknown> =>
    store.update(running.id, { from: ["running"], set: { state: "completed", completedAt: clock.now() } });
  afterTest(t, endRunning);
  const began = clock.now();
  await until(async () => {
    clock.advance(10_000);
    return looks > 3 && clock.now() - began > 300_000;
  }, "several looks, and more than a while");
  assert.equal((await store.get(waiting.id))!.state, "queued");
  await endRunning();
  await until(async () => {
    clock.advance(1000);
    return (await store.get(waiting.id))!.state === "failed";
  }, "its end");
});
