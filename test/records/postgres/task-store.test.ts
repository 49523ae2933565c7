import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import {
  openPostgresTaskStore,
  type PostgresTaskStore,
} from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { makeTask } from "../../contract/make-task.ts";
import { taskStoreContract } from "../../contract/task-store-contract.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";
import { until } from "../../tasks/support/until.ts";

const owner = { pid: process.pid, startTime: "1", bootId: "boot" };
const take = { limit: 2, owner, now: 50 };
const folder = "/project/.deckhand/tasks";
const slow = { beatMs: 600_000, silentMs: 1_200_000, lostMs: 60_000 };

describe("tasks on PostgreSQL", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  let address: string;
  before(async () => {
    server = await openPostgres();
    address = await server.createDatabase();
  });
  after(() => server.close());

  /** `machineId` null: one that only orders and asks. */
  async function open(t: TestContext, machineId: string | null, times = slow): Promise<PostgresTaskStore> {
    const worker = machineId === null ? null : { machineId, identity: owner, folder };
    const store = await openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker, times });
    afterTest(t, async () => {
      await store.close();
      await server.query(address, "TRUNCATE deckhand.tasks, deckhand.workers, deckhand.output_requests");
    });
    return store;
  }

  taskStoreContract("postgres", (t) => open(t, "here"));

  test("the limit is each machine's own, and no task is taken twice [T7]", async (t) => {
    const [one, two, asking] = [await open(t, "one"), await open(t, "two"), await open(t, null)];
    const tasks = Array.from({ length: 6 }, () => makeTask());
    for (const task of tasks) await asking.add(task);
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, at) => [one, two, asking][at % 3]!.takeNext("claude", take)),
    );
    const ids = taken.flatMap((task) => task?.id ?? []);
    assert.deepEqual(
      ids.sort(),
      tasks.slice(0, 4).map(({ id }) => id),
    );
    assert.deepEqual([(await one.shared.listHere()).length, (await two.shared.listHere()).length], [2, 2]);
    assert.deepEqual([one.shared.runsHere, asking.shared.runsHere], [true, false]);
    assert.deepEqual(await asking.shared.listHere(), []);
  });

  test("only the machine that started a task becomes its owner [T6]", async (t) => {
    const [one, two, asking] = [await open(t, "one"), await open(t, "two"), await open(t, null)];
    const { id } = await one.add(makeTask());
    const [taken, other] = [(await one.takeNext("claude", take))!, { ...owner, pid: 1 }];
    const adopt = { from: ["running"] as const, owner: taken.owner, set: { owner: other } };
    assert.equal(await two.update(id, adopt), undefined);
    assert.equal(await asking.update(id, adopt), undefined);
    assert.deepEqual((await one.update(id, adopt))?.owner, other);
    assert.equal(await one.update(id, { from: ["running"], owner, set: { progress: "late" } }), undefined);
    const [row] = await server.query(address, "SELECT machine_id, fence::int FROM deckhand.tasks");
    assert.deepEqual(row, { machine_id: "one", fence: 2 });
  });

  test("what one writes another hears at once [T4]", async (t) => {
    const [one, asking] = [await open(t, "one"), await open(t, null)];
    // Whatever comes by itself every two seconds is not what is meant.
    const heard = async (store: PostgresTaskStore, write: () => Promise<unknown>): Promise<void> => {
      const news = async (): Promise<number> => (await store.revision()) - Math.floor(systemClock.monotonic() / 2000);
      await until(async () => (await news()) > 0, "that it listens");
      const before = await news();
      await write();
      await until(async () => (await news()) > before, "the news");
    };
    const task = makeTask();
    await heard(one, () => asking.add(task));
    await one.takeNext("claude", take);
    await heard(one, () => asking.requestCancel(task.id, "enough"));
    const set = { state: "cancelled", completedAt: 9 } as const;
    await heard(asking, () => one.update(task.id, { from: ["running"], set }));
  });

  test("a task that waits again is taken again, and one that was cancelled is not [T7]", async (t) => {
    const store = await open(t, "one");
    const [first, second] = [makeTask(), makeTask()];
    for (const task of [first, second]) await store.add(task);
    await store.takeNext("claude", take);
    const set = { state: "queued", owner: null, startedAt: null, attempt: 2 } as const;
    assert.equal((await store.update(first.id, { from: ["running"], owner, set }))?.state, "queued");
    await store.update(second.id, { from: ["queued"], set: { state: "cancelled", completedAt: 9 } });
    const again = await store.takeNext("claude", take);
    assert.deepEqual([again?.id, again?.attempt], [first.id, 2]);
    assert.equal(await store.takeNext("claude", take), undefined);
  });

  test("tasks whose tokens were removed are found by the next worker [T4]", async (t) => {
    const asking = await open(t, null);
    for (const agent of ["claude", "claude", "my agent"]) await asking.add(makeTask({}, { agent }));
    await server.query(address, "DELETE FROM deckhand_queue.job");
    const worker = await open(t, "one");
    const taken = [await worker.takeNext("claude", take), await worker.takeNext("claude", take)];
    assert.equal(
      taken.every((task) => task !== undefined),
      true,
    );
    assert.equal((await worker.takeNext("my agent", take))?.order.agent, "my agent");
  });

  test("a change that the connection broke under is known again when it did happen [T4]", async (t) => {
    const store = await open(t, "one");
    const { id } = await store.add(makeTask());
    await store.takeNext("claude", take);
    const set = { state: "completed", completedAt: 60, result: "yes" } as const;
    // The connection ends in the statement, after its work: nobody can tell that from one that ended before it.
    await server.query(address, breakAfterUpdate);
    await assert.rejects(store.update(id, { from: ["running"], owner, set }), { code: "STORE_UNAVAILABLE" });
    await server.query(address, "DROP FUNCTION deckhand.break_connection CASCADE");
    await server.query(address, "UPDATE deckhand.tasks SET state = 'completed', completed_at = 60, result = 'yes'");
    const settled = await store.update(id, { from: ["running"], owner, set: { ...set, completedAt: 70 } });
    assert.deepEqual([settled?.state, settled?.completedAt, settled?.result], ["completed", 60, "yes"]);
    assert.equal(await store.update(id, { from: ["running"], owner, set }), undefined);
  });

  test("a silent worker is noticed within 15 s, and what it ran is lost a minute later, unless it may run again [T6]", async (t) => {
    const worker = await open(t, "one");
    const { patrol, pass } = await openPatrol(t);
    const tasks = [makeTask(), makeTask({}, { isIdempotent: true })];
    for (const task of tasks) await worker.add(task);
    for (const _ of tasks) await worker.takeNext("claude", take);
    const states = async (): Promise<unknown[]> =>
      (await worker.list({ limit: 9 })).reverse().map((task) => [task.state, task.owner === null, task.attempt]);
    const watched = ["running", false, 1];
    const left = ["running", true, 1];
    await pass(3000);
    assert.deepEqual([await patrol(), await states()], [[], [watched, watched]]);
    await pass(9000);
    assert.deepEqual([await patrol(), await states()], [[], [left, left]]);
    await pass(20_000);
    assert.deepEqual([await patrol(), await states()], [[], [left, left]]);
    await pass(41_000);
    const lost = await patrol();
    assert.deepEqual(await states(), [
      ["lost", true, 1],
      ["queued", true, 2],
    ]);
    assert.deepEqual(lost, [await worker.get(tasks[0]!.id)]);
    assert.equal(lost[0]!.completedAt, 1234);
    await pass(3000);
    assert.deepEqual(await patrol(), []);
    assert.equal((await worker.takeNext("claude", take))?.id, tasks[1]!.id);
  });

  test("time in which nobody looked makes nobody silent or lost by itself [T6]", async (t) => {
    const worker = await open(t, "one");
    const { patrol, pass } = await openPatrol(t);
    const { id } = await worker.add(makeTask());
    await worker.takeNext("claude", take);
    await pass(600_000, { looking: false });
    assert.deepEqual([await patrol(), (await worker.get(id))?.owner], [[], owner]);
    await pass(10_500);
    assert.deepEqual([await patrol(), (await worker.get(id))?.owner], [[], null]);
    await pass(600_000, { looking: false });
    assert.deepEqual(await patrol(), []);
    assert.equal((await worker.get(id))?.state, "running");
    const taken = await worker.update(id, { from: ["running"], owner: null, set: { owner } });
    assert.deepEqual(taken?.owner, owner);
  });

  test("a worker that is dead is found out by looks that are far apart, and one that is heard of between them is not [T6]", async (t) => {
    const [dead, live] = [await open(t, "dead"), await open(t, "live")];
    const { patrol, pass } = await openPatrol(t);
    const tasks = [await dead.add(makeTask()), await dead.add(makeTask({}, { agent: "pi" }))];
    await dead.takeNext("claude", take);
    await live.takeNext("pi", take);
    const ended: string[] = [];
    let looks = 0;
    for (; looks < 20 && ended.length === 0; looks += 1) {
      await pass(30_000, { looking: false });
      const beat = "UPDATE deckhand.workers SET seen_at = now() - interval '25 seconds' WHERE machine_id = 'live'";
      await server.query(address, beat);
      ended.push(...(await patrol()).map(({ id }) => id));
    }
    assert.deepEqual(ended, [tasks[0]!.id]);
    assert.ok(looks > 3 && looks < 12, `${looks} looks`);
    assert.deepEqual((await live.get(tasks[1]!.id))?.owner, owner);
  });

  /** One that looks, with the usual times; and time that passes in an instant, in the database and for whether a look is due. */
  async function openPatrol(t: TestContext) {
    let elapsed = 0;
    const clock = { ...systemClock, monotonic: () => elapsed };
    const store = await openPostgresTaskStore({ scope: "app", address, clock, worker: null });
    afterTest(t, () => store.close());
    const pass = async (ms: number, { looking = true } = {}): Promise<void> => {
      elapsed += ms;
      await server.query(address, "UPDATE deckhand.workers SET seen_at = seen_at - $1 * interval '1 ms'", [ms]);
      await server.query(address, "UPDATE deckhand.tasks SET left_at = left_at - $1 * interval '1 ms'", [ms]);
      const ago = looking ? 3000 : ms;
      await server.query(address, "UPDATE deckhand.patrol SET looked_at = now() - $1 * interval '1 ms'", [ago]);
    };
    return { pass, patrol: () => store.shared.patrol(1234) };
  }

  test("a task that was taken without our hearing so is given back [T6]", async (t) => {
    const store = await open(t, "one");
    const known = await store.add(makeTask());
    await store.takeNext("claude", take);
    const { id } = await store.add(makeTask());
    await server.query(address, breakAfterUpdate);
    await assert.rejects(store.takeNext("claude", take), { code: "STORE_UNAVAILABLE" });
    await server.query(address, "DROP FUNCTION deckhand.break_connection CASCADE");
    await server.query(address, takeUnheard, [id, known.id]);
    assert.deepEqual((await store.get(id))?.owner, owner);
    const here = (await store.shared.listHere()).map((task) => [task.id, task.owner]);
    assert.deepEqual(here, [
      [known.id, owner],
      [id, null],
    ]);
  });

  test("the next one is found without looking through all that wait and have ended [T7]", async (t) => {
    const store = await open(t, "one");
    await store.add(makeTask());
    await server.query(address, addMany);
    await server.query(address, "ANALYZE deckhand.tasks");
    const looked = async (): Promise<number> => Number((await server.query(address, rowsLookedAt))[0]?.["rows"]);
    const before = await looked();
    for (let number = 0; number < 20; number++) {
      const task = await store.takeNext("claude", { ...take, limit: 50 });
      if (task) continue;
      // There are fewer tokens than rows that were put in beside the store.
      await store.add(makeTask());
      number -= 1;
    }
    await store.close();
    const isLeft = async (): Promise<boolean> => (await server.query(address, othersThere)).length === 0;
    await until(isLeft, "that all its connections have said what they did");
    assert.ok((await looked()) - before < 3000, `${(await looked()) - before} rows`);
  });

  test("another machine of the same name is refused while the first one lives [T4]", async (t) => {
    const times = { ...slow, beatMs: 100, silentMs: 2000 };
    await open(t, "one", times);
    const worker = { machineId: "one", identity: { ...owner, bootId: "another" }, folder };
    await assert.rejects(openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker, times }), {
      code: "CONFIG_INVALID",
      message:
        /^Another machine \(.+\) works on the tasks of postgres:.* as "one" too: give this one a name of its own\.$/,
    });
  });
});

/** As of the last who left. */
const rowsLookedAt =
  "SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'tasks') AS rows FROM pg_stat_user_tables WHERE relname = 'tasks'";
const othersThere =
  "SELECT 1 FROM pg_stat_activity WHERE application_name = 'deckhand' AND datname = current_database()";

const addMany = `
  INSERT INTO deckhand.tasks (id, agent, state, body, door, folder, attempt, created_at)
  SELECT 'task_' || number, agent, CASE WHEN number < 6000 THEN 'completed' ELSE 'queued' END, body, door, folder, attempt, number
  FROM deckhand.tasks, generate_series(1000, 9999) AS number`;

const takeUnheard = `
  UPDATE deckhand.tasks SET state = 'running', place = 2, owner = taken.owner, worker_id = taken.worker_id, machine_id = 'one'
  FROM deckhand.tasks AS taken WHERE tasks.id = $1 AND taken.id = $2`;

const breakAfterUpdate = `
  CREATE FUNCTION deckhand.break_connection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
  CREATE TRIGGER break_connection AFTER UPDATE ON deckhand.tasks FOR EACH ROW EXECUTE FUNCTION deckhand.break_connection()`;
