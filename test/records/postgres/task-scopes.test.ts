import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import {
  openPostgresTaskStore,
  type PostgresTaskStore,
  type PostgresTaskStoreOptions,
} from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { makeTask } from "../../contract/make-task.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";

const owner = { pid: process.pid, startTime: "1", bootId: "boot" };
const take = { limit: 2, owner, now: 50 };
const slow = { beatMs: 600_000, silentMs: 1_200_000, lostMs: 60_000 };
const idsOf = (tasks: readonly { readonly id: string }[]): string[] => tasks.map(({ id }) => id).sort();

describe("tasks of projects that share a database", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  async function open(
    t: TestContext,
    address: string,
    { machine, ...more }: { readonly machine?: string } & Pick<PostgresTaskStoreOptions, "scope" | "dataFolder">,
  ): Promise<PostgresTaskStore> {
    const worker =
      machine === undefined ? null : { machineId: machine, identity: owner, folder: "/f", agents: [machine] };
    const store = await openPostgresTaskStore({ address, clock: systemClock, worker, times: slow, ...more });
    afterTest(t, () => store.close());
    return store;
  }

  test("each finds, lists, counts, changes, cancels, takes and removes its own only, under keys of its own [T4]", async (t) => {
    const address = await server.createDatabase();
    // The same name of a machine: it is each project's own.
    const [one, other] = [
      await open(t, address, { scope: "one", machine: "here" }),
      await open(t, address, { scope: "o\\ther\0", machine: "here" }),
    ];
    const task = await one.add(makeTask({ sessionId: "s" }, { idempotencyKey: "k" }));
    const theirs = await other.add(makeTask({}, { idempotencyKey: "k", agent: "pi" }));
    assert.notEqual(theirs.id, task.id);
    assert.equal((await one.add(makeTask({}, { idempotencyKey: "k" }))).id, task.id);
    assert.deepEqual([await other.get(task.id), await other.count({}), await one.count({})], [undefined, 1, 1]);
    assert.deepEqual(idsOf(await other.list({ limit: 9 })), [theirs.id]);
    assert.deepEqual([await one.queuedAgents(), await other.queuedAgents()], [["claude"], ["pi"]]);
    const end = { state: "cancelled", completedAt: 5 } as const;
    assert.equal(await other.update(task.id, { from: ["queued"], set: end }), undefined);
    assert.equal(await other.requestCancel(task.id, "no"), false);
    assert.equal(await other.takeNext("claude", take), undefined);
    assert.equal((await one.takeNext("claude", take))?.id, task.id);
    assert.deepEqual([idsOf(await one.shared.listHere()), await other.shared.listHere()], [[task.id], []]);
    assert.equal(await other.shared.readElsewhere(task.id, {}), undefined);
    await one.update(task.id, { from: ["running"], owner, set: { ...end, completedAt: 5 } });
    assert.deepEqual(await other.prune(1000), []);
    assert.deepEqual(await other.shared.findExpired([task.id]), new Set());
    await server.query(
      address,
      "UPDATE deckhand.tasks SET expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL",
    );
    assert.deepEqual(await one.shared.findExpired([task.id]), new Set([task.id]));
    // It goes when its own time is over; only its project is told of it.
    assert.deepEqual(await other.shared.pruneExpired(), []);
    assert.equal(await one.count({}), 0);
  });

  test("each knows the agents of its own workers, and says whose worker is missing [T4] [T8]", async (t) => {
    const address = await server.createDatabase();
    const other = await open(t, address, { scope: "other", machine: "pi" });
    const one = await open(t, address, { scope: "one" });
    assert.deepEqual(await one.shared.listAgents(), { names: [], isWhole: true });
    assert.equal(await one.shared.explainLack("claude"), undefined);
    const task = await one.add(makeTask());
    assert.deepEqual(
      await one.shared.explainWaits([task]),
      new Map([[task.id, 'waiting for a worker of the project "one"']]),
    );
    assert.deepEqual((await other.shared.listAgents()).names, ["pi"]);
  });

  test("the silence of a project's workers is noticed by that project alone [T4] [T6]", async (t) => {
    const address = await server.createDatabase();
    const worker = await open(t, address, { scope: "one", machine: "gone" });
    const task = await worker.add(makeTask());
    await worker.takeNext("claude", take);
    await worker.close();
    const [one, other] = [await open(t, address, { scope: "one" }), await open(t, address, { scope: "other" })];
    const longAgo = "now() - interval '10 minutes'";
    await server.query(
      address,
      `UPDATE deckhand.patrol SET looked_at = ${longAgo}; UPDATE deckhand.tasks SET left_at = ${longAgo} - interval '1 h'`,
    );
    assert.deepEqual(await other.shared.patrol(7), []);
    assert.equal((await one.get(task.id))?.state, "running");
    assert.deepEqual(idsOf(await one.shared.patrol(7)), [task.id]);
  });

  test("what an older version left belongs to the project whose folder it lies in, else to no project [T4]", async (t) => {
    const address = await server.createDatabase();
    const before = await open(t, address, { scope: "before" });
    const inFolder = (folder: string, key: string | null = null) =>
      makeTask({ folder: `${folder}/tasks/t` }, { idempotencyKey: key });
    const [ours, twin, elsewhere, longer] = [
      inFolder("/a/.deckhand"),
      inFolder("/a/.deckhand", "k"),
      inFolder("/b/.deckhand"),
      inFolder("/a/.deckhand-old"),
    ];
    for (const task of [ours, twin, elsewhere, longer]) await before.add(task);
    await server.query(address, "UPDATE deckhand.tasks SET scope = 'unassigned'");
    const one = await open(t, address, { scope: "one" });
    await one.add(makeTask({}, { idempotencyKey: "k" }));
    const taking = await open(t, address, { scope: "one", dataFolder: "/a/.deckhand", machine: "here" });
    assert.equal((await taking.get(ours.id))?.id, ours.id);
    assert.equal((await taking.takeNext("claude", take))?.id, ours.id);
    const left = await open(t, address, { scope: "unassigned", dataFolder: "/a/.deckhand" });
    assert.deepEqual(idsOf(await left.list({ limit: 9 })), idsOf([twin, elsewhere, longer]));
  });
});
