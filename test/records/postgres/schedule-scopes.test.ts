import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { ScheduleStore } from "../../../src/core/job.ts";
import { openSharedRecords, type SharedRecords } from "../../../src/records/postgres/open-shared-records.ts";
import { createId } from "../../../src/core/ids.ts";
import { makeEntry } from "../../contract/inbox-store-contract.ts";
import { makeJob, makeRun } from "../../contract/make-job.ts";
import { openScheduled, untilEnded } from "../../schedule/schedule-bench.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";

const owner = { pid: process.pid, startTime: "1", bootId: "boot" };
const names = async (store: ScheduleStore): Promise<string[]> => (await store.listJobs()).map(({ name }) => name);

describe("projects that share a PostgreSQL database", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  async function open(t: TestContext, address: string, scope: string): Promise<ScheduleStore> {
    const here = { clock: systemClock, identity: owner, isAliveHere: () => true };
    const records = await openSharedRecords({ ...here, address, scope });
    afterTest(t, () => records.close());
    return records.schedule;
  }

  test("each sees, plans, claims, cancels and prunes its own jobs and runs only, under names of its own [D1]", async (t) => {
    const address = await server.createDatabase();
    const [one, other] = [await open(t, address, "one"), await open(t, address, "o\\ther\0")];
    const job = makeJob({ name: "nightly", nextAt: 50, plannedUntilAt: 0 });
    assert.equal(await one.addJob(job), true);
    assert.equal(await one.addJob(makeJob({ name: "nightly" })), false);
    assert.equal(await other.addJob(makeJob({ name: "nightly", nextAt: 70 })), true);
    const run = makeRun(job, { dueAt: 50, trigger: "catch_up" });
    const { version } = job;
    const plan = { version, now: 60, set: { nextAt: null }, add: [run], change: [], forgetAfter: null, staggerMs: 5 };
    assert.equal((await one.plan(job.id, plan))?.runs.length, 1);
    const alone = makeRun(job, { dueAt: 51 });
    assert.equal(await one.addRun(alone), true);
    assert.deepEqual([await one.getJob(job.id), await other.getJob(job.id)].map(Boolean), [true, false]);
    assert.deepEqual([await one.getRun(run.id), await other.getRun(run.id)].map(Boolean), [true, false]);
    assert.deepEqual((await other.listJobs({ dueBy: 100 })).length, 1);
    assert.deepEqual([await other.listRuns({ limit: 9 }), await other.listDue({ startBy: 100, limit: 9 })], [[], []]);
    assert.deepEqual([(await one.listRuns({ limit: 9 })).length, await one.nextTime(0)], [2, 51]);
    assert.equal(await other.nextTime(0), 70);
    assert.equal(await other.claim(alone.id, { owner, alone: true }), undefined);
    assert.equal(await other.requestCancel(alone.id, { reason: "no", at: 1 }), false);
    assert.equal((await one.getRun(alone.id))?.state, "due");
    await one.removeJob(job.id, { reason: "gone", at: 60 });
    assert.deepEqual([await other.prune(100), await one.prune(100)], [0, 2]);
    assert.deepEqual([await names(one), await names(other)], [[], ["nightly"]]);
  });

  test("each sees, answers and prunes its own questions only [D1]", async (t) => {
    const address = await server.createDatabase();
    const here = { clock: systemClock, identity: owner, isAliveHere: () => true, address };
    const [one, other] = [
      await openSharedRecords({ ...here, scope: "one" }),
      await openSharedRecords({ ...here, scope: "other" }),
    ];
    for (const records of [one, other]) afterTest(t, () => records.close());
    const [ours, theirs] = [makeEntry({ id: createId("ask", 1) }), makeEntry({ id: createId("ask", 2) })];
    await one.inbox.add(ours);
    await other.inbox.add(theirs);
    const ids = async ({ inbox }: SharedRecords): Promise<string[]> =>
      (await inbox.list({ limit: 9, states: ["waiting"] })).map(({ id }) => id);
    assert.deepEqual([await ids(one), await ids(other)], [[ours.id], [theirs.id]]);
    assert.equal(await other.inbox.get(ours.id), undefined);
    const answer = { answered: true, text: "Yes" } as const;
    const settlement = { state: "answered", who: "kim", answer, scope: null, reason: null } as const;
    assert.deepEqual(
      [await other.inbox.settle(ours.id, settlement, 5), await one.inbox.settle(ours.id, settlement, 5)],
      [false, true],
    );
    assert.deepEqual([await other.inbox.countPrunable(9), await other.inbox.prune(9)], [0, 0]);
    assert.deepEqual([await one.inbox.countPrunable(9), await one.inbox.prune(9)], [1, 1]);
  });

  test("what an older version left belongs to the first project that opens the database, with its runs [D1]", async (t) => {
    const address = await server.createDatabase();
    const before = await open(t, address, "before");
    const [job, gone] = [makeJob({ name: "old" }), makeJob({ name: "gone" })];
    await before.addJob(job);
    await before.addRun(makeRun(job));
    await before.addRun(makeRun(gone));
    await server.query(address, "UPDATE deckhand.jobs SET scope = NULL; UPDATE deckhand.runs SET scope = NULL");
    const [first, second] = [await open(t, address, "first"), await open(t, address, "second")];
    assert.deepEqual([await names(first), await names(second)], [["old"], []]);
    assert.equal((await first.listRuns({ limit: 9 })).length, 2);

    // A daemon of the older version still runs, and adds one whose name there is.
    await second.addJob(makeJob({ name: "twice" }));
    await first.addJob(makeJob({ name: "twice" }));
    await server.query(address, "UPDATE deckhand.jobs SET scope = NULL WHERE scope = 'second'");
    const again = await open(t, address, "first");
    assert.deepEqual(await names(again), ["old", "twice"]);
  });

  test("a daemon starts jobs of its own workdir; those that name one scope share them [D1]", async (t) => {
    const url = await server.createDatabase();
    const [one, other] = [
      await openScheduled(t, { settings: { store: { url } } }),
      await openScheduled(t, { settings: { store: { url } } }),
    ];
    const order = { name: "where", every: "1d", tool: "bash", input: { command: "pwd" } };
    await one.schedule.add(order, { by: "kim" });
    await other.schedule.add(order, { by: "kim" });
    await other.schedule.start();
    const theirs = await other.schedule.runNow("where", { by: "kim" });
    const ours = await one.schedule.runNow("where", { by: "kim" });
    assert.equal((await untilEnded(other.schedule, theirs.id)).summary?.trim(), other.runtime.workdir);
    assert.deepEqual(
      [(await one.schedule.getRun(ours.id))?.state, await other.schedule.getRun(ours.id)],
      ["due", undefined],
    );

    const named = await openScheduled(t, { settings: { store: { url }, schedule: { scope: one.runtime.workdir } } });
    assert.deepEqual(
      (await named.schedule.list()).map(({ lastRun }) => lastRun?.id),
      [ours.id],
    );
  });
});
