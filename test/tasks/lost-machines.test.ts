import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { commandsWith } from "../process/support.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { hasRun, openMachines, patient, runs, waiting } from "./support/machines.ts";
import { openDoor } from "./support/shared-tasks.ts";
import { until } from "./support/until.ts";

const impatient = { ...patient, lostMs: 3000 };
const door = "mcp" as const;
const longMs = 120_000;
describe("machines that go away", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("what a killed worker ran is adopted by its own machine only, and its true result arrives [T6]", async (t) => {
    const { manager, store, folder, start } = await openMachines(t, server, patient);
    const killed = await start("a");
    const { id } = await manager.start({ agent: "said", message: waiting(folder), door });
    await until(async () => (await manager.get(id))?.progress !== undefined && hasRun(folder), "its run");
    const other = await start("b");
    await killed.kill();
    await until(async () => (await store.get(id))?.owner === null, "that somebody notices");
    assert.equal((await store.get(id))!.state, "running");
    writeFileSync(`${folder}/go`, "");
    await start("a");
    const end = await manager.wait(id, longMs);
    assert.deepEqual([end.state, end.result, end.attempt], ["completed", "done", 1]);
    assert.equal(runs(folder), 1);
    assert.deepEqual(
      other.events.filter(({ type }) => type.startsWith("task:")),
      [],
    );
  });

  test("a task whose machine does not come back is lost, or done by another if it may be, and its agent is ended then [T6]", async (t) => {
    const { manager, store, folder, events, start } = await openMachines(t, server, impatient);
    const killed = await start("a");
    const once = await manager.start({ agent: "said", message: waiting(folder), door });
    const again = await manager.start({
      agent: "plain",
      message: `echo $0; exec sleep 600 # ${folder}`,
      isIdempotent: true,
      door,
    });
    await until(async () => (await manager.output(again.id, {})).totalBytes > 0 && hasRun(folder), "both");
    await killed.kill();
    const lost = await manager.wait(once.id, longMs);
    assert.equal(lost.state, "lost");
    assert.match(lost.error!, /^Lost: nobody on the machine "a", which ran it, has been heard of for too long\./);
    await until(async () => (await store.get(again.id))?.state === "queued", "the queue");
    assert.equal((await store.get(again.id))!.attempt, 2);
    const settled = events.filter(({ type }) => type === "task:settled").map(({ payload }) => payload);
    assert.deepEqual(settled, [{ id: once.id, agent: "said", state: "lost", error: lost.error }]);
    await start("b");
    await until(async () => (await store.get(again.id))?.state === "running", "the second run");
    assert.equal(commandsWith(`${folder}/a/tasks/${once.id}/`).length > 0, true);
    await start("a");
    await until(() => commandsWith(`${folder}/a/tasks/`).length === 0, "the end of what nobody waits for");
    assert.equal((await manager.cancel(again.id, "enough")).state, "cancelled");
    await until(async () => (await store.get(once.id))?.isLate, "that its machine reports it");
    const stopped = (await store.get(once.id))!;
    assert.deepEqual(
      [stopped.state, stopped.error, stopped.result],
      [
        "lost",
        "Lost: its machine was away for too long. The agent was still running when the machine came back, and was stopped then. Its output is kept. If it has a session, you can resume it.",
        null,
      ],
    );
    assert.equal((await store.get(again.id))!.isLate, undefined);
    assert.equal(runs(folder), 1);
  });

  test("a machine that comes back reports how a lost task ended, marked as late, unless it was started again [T6]", async (t) => {
    const { manager, store, folder, start } = await openMachines(t, server, impatient);
    const killed = await start("a");
    const orders = [
      { message: waiting(folder), door },
      // A run of a's is left behind when it is started again on b.
      { message: `${waiting(folder)}; echo text second`, isIdempotent: true, door },
    ];
    const [once, again] = await Promise.all(orders.map((order) => manager.start({ agent: "said", ...order })));
    await until(() => runs(folder) === 2, "both run");
    await killed.kill();
    assert.equal((await manager.wait(once!.id, longMs)).state, "lost");
    await until(async () => (await store.get(again!.id))?.attempt === 2, "it waits to be started again");
    writeFileSync(`${folder}/go`, "");
    await until(() => commandsWith(`${folder}/a/tasks/`).length === 0, "the agents have ended by themselves");
    const b = await start("b");
    assert.equal((await manager.wait(again!.id, longMs)).state, "completed");
    const before = await store.get(again!.id);
    await b.stop();
    const a = await start("a");
    await until(async () => (await store.get(once!.id))?.state !== "lost", "its true end");
    const end = (await manager.get(once!.id))!;
    assert.deepEqual([end.state, end.result, end.error, end.isLate], ["completed", "done", null, true]);
    assert.deepEqual(await store.get(again!.id), before);
    assert.deepEqual(
      a.events.filter(({ type }) => type === "task:settled").map(({ payload }) => payload),
      [{ id: once!.id, agent: "said", state: "completed", error: null }],
    );
  });

  test("a task whose machine is gone is lost also where somebody only asks now and then [T6]", async (t) => {
    const times = { beatMs: 5000, silentMs: 10_000, lostMs: 60_000 };
    const { manager, store, folder, address, start } = await openMachines(t, server, times);
    const killed = await start("a");
    const { id } = await manager.start({ agent: "said", message: waiting(folder), door });
    await until(() => hasRun(folder), "its run");
    await manager.close();
    await store.close();
    await killed.kill();
    // One that has no second turn.
    const clock = { ...systemClock, after: () => () => {} };
    const ask = async (): Promise<string | undefined> => {
      for (const [table, column] of Object.entries({ workers: "seen_at", tasks: "left_at", patrol: "looked_at" })) {
        await server.query(address, `UPDATE deckhand.${table} SET ${column} = ${column} - interval '30 seconds'`);
      }
      const asking = await openDoor(t, address, { times, more: { clock } });
      await asking.manager.adopt();
      const task = await asking.manager.get(id);
      await asking.manager.close();
      await asking.store.close();
      return task?.state;
    };
    assert.equal(await ask(), "running");
    await until(async () => (await ask()) === "lost", "its end");
  });

  test("a worker that is asked to end leaves its agents at work, and finds them again [T6]", async (t) => {
    const { manager, store, folder, start } = await openMachines(t, server, patient);
    const first = await start("a");
    const { id } = await manager.start({ agent: "said", message: waiting(folder), door });
    await until(() => hasRun(folder), "its run");
    await first.stop();
    assert.equal(first.events.at(-1)?.type, "stopped");
    assert.deepEqual([(await store.get(id))!.state, (await store.get(id))!.owner], ["running", null]);
    await start("a");
    writeFileSync(`${folder}/go`, "");
    assert.equal((await manager.wait(id, longMs)).state, "completed");
    assert.equal(runs(folder), 1);
  });

  test("a worker that stood still for a while takes back what it watched [T6]", async (t) => {
    const { manager, store, folder, start } = await openMachines(t, server, patient);
    const worker = await start("a");
    const { id } = await manager.start({ agent: "said", message: waiting(folder), door });
    await until(() => hasRun(folder), "its run");
    worker.signal("SIGSTOP");
    await until(async () => (await store.get(id))?.owner === null, "that somebody notices");
    worker.signal("SIGCONT");
    await until(async () => (await store.get(id))?.owner?.pid === worker.pid, "that it is back");
    writeFileSync(`${folder}/go`, "");
    assert.equal((await manager.wait(id, longMs)).state, "completed");
    assert.equal(runs(folder), 1);
    await worker.stop();
    assert.equal(worker.count("task:settled"), 1);
  });
});
