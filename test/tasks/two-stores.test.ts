import assert from "node:assert/strict";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { createMemoryTaskStore } from "../../src/records/memory/memory-task-store.ts";
import { openPostgresTaskStore } from "../../src/records/postgres/tasks/postgres-task-store.ts";
import { usualTaskLimits } from "../../src/tasks/manager/task-parts.ts";
import { commandsWith } from "../process/support.ts";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { patient } from "./support/machines.ts";
import { openTasks, type TaskRoom } from "./support/open-tasks.ts";
import { openDoor } from "./support/shared-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 120_000;
const door = "mcp" as const;
/** Every folder is old for this one. */
const limits = { ...usualTaskLimits, graceMs: 300, ttlMs: -1 };

/** A task that has ended, and nobody of its own store has noticed. */
async function endUnwatched(
  t: TestContext,
): Promise<TaskRoom & { readonly id: string; bringEnd: () => Promise<void> }> {
  const room = await openTasks(t);
  const message = `echo up; until [ -e ${room.folder}/go ]; do sleep 0.02; done; echo text answer; echo ok`;
  const { id } = await room.manager.start({ agent: "said", message, door });
  await until(async () => (await room.store.get(id))?.activeAt, "it prints");
  await room.manager.close();
  writeFileSync(join(room.folder, "go"), "");
  await until(() => commandsWith(join(room.folder, "tasks", id)).length === 0, "its end");
  return {
    ...room,
    id,
    bringEnd: async () => {
      const next = await openTasks(t, {}, room.folder);
      await next.manager.adopt();
      const end = await next.manager.wait(id, longMs);
      assert.deepEqual([end.state, end.result], ["completed", "answer"]);
    },
  };
}

test("a process that keeps its tasks in memory leaves those of the database alone, however old [T4] [T5]", async (t) => {
  const { folder, bringEnd } = await endUnwatched(t);
  const other = await openTasks(t, { store: createMemoryTaskStore(), limits }, folder);
  await other.manager.adopt();
  await bringEnd();
});

test("what a living process keeps in memory is left alone by those with a database, and goes when it is dead [T4] [T5]", async (t) => {
  const one = await openTasks(t, { store: createMemoryTaskStore() });
  const { id } = await one.manager.start({ agent: "said", message: "echo text answer; echo ok", door });
  assert.equal((await one.manager.wait(id, longMs)).state, "completed");
  const other = await openTasks(t, { limits }, one.folder);
  await other.manager.adopt();
  assert.equal((await one.manager.output(id, {})).text, "text answer\nok\n");
  const dead = { ...one.processes.identity, startTime: "1" };
  writeFileSync(join(one.folder, "tasks", id, "owner.json"), JSON.stringify(dead));
  await other.manager.adopt();
  assert.equal(existsSync(join(one.folder, "tasks", id)), false);
});

describe("beside a PostgreSQL", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  /** A worker for one database, in this process. */
  async function openWorkerRoom(t: TestContext, address: string, at: string): Promise<TaskRoom> {
    const processes = createProcesses({ runFolder: join(at, "run"), clock: systemClock, sandbox: "off" });
    const tasks = join(at, "tasks");
    mkdirSync(tasks, { recursive: true });
    const worker = { machineId: "here", identity: processes.identity, folder: realpathSync(tasks) };
    const store = await openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker, times: patient });
    afterTest(t, async () => {
      await store.close();
      await processes.close();
    });
    return openTasks(t, { store, limits }, at);
  }

  test("who only orders and asks there leaves what this machine keeps in its own database alone [T4] [T5]", async (t) => {
    const { folder, bringEnd } = await endUnwatched(t);
    const address = await server.createDatabase();
    const { manager } = await openDoor(t, address, { times: patient, at: folder, more: { limits } });
    await manager.adopt();
    await bringEnd();
  });

  test("a machine that works for one database leaves what it did for another alone, and forgets its own [T4] [T5]", async (t) => {
    const folder = await temporaryFolder(t);
    const first = await server.createDatabase();
    const one = await openWorkerRoom(t, first, folder);
    const { id } = await one.manager.start({ agent: "said", message: "echo text answer; echo ok", door });
    assert.equal((await one.manager.wait(id, longMs)).state, "completed");
    const other = await openWorkerRoom(t, await server.createDatabase(), folder);
    await other.manager.adopt();
    assert.equal((await one.manager.output(id, {})).text, "text answer\nok\n");
    await server.query(first, "DELETE FROM deckhand.tasks");
    await one.manager.adopt();
    assert.equal(existsSync(join(folder, "tasks", id)), false);
  });
});
