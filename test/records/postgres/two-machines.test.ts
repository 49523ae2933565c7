import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock, type Clock } from "../../../src/core/clock.ts";
import { createInbox, type Inbox } from "../../../src/permissions/approvals/approval-inbox.ts";
import { defaultSettings } from "../../../src/schedule/schedule-parts.ts";
import { createScheduler, type Scheduler } from "../../../src/schedule/scheduler.ts";
import { openSharedRecords, type SharedRecords } from "../../../src/records/postgres/open-shared-records.ts";
import { makeJob, makeRun } from "../../contract/make-job.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";
import { until } from "../../tasks/support/until.ts";

const dayMs = 86_400_000;
const question = { text: "Which one?", options: ["a", "b"] };

/** As far as the store can tell: a boot of its own each. */
const identityOf = (machine: string) => ({ pid: 4711, startTime: "1", bootId: machine });

describe("two machines on one PostgreSQL", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  let address: string;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  interface Machine extends SharedRecords {
    readonly desk: Inbox;
    readonly begun: string[];
    /** `work`: what each run waits for. */
    startScheduler(work?: Promise<void>): Promise<Scheduler>;
  }

  async function openMachine(t: TestContext, name: string, clock: Clock = systemClock): Promise<Machine> {
    const identity = identityOf(name);
    // They are silent unless a test says otherwise, and soon lost.
    const times = { beatMs: 600_000, lostMs: 2000 };
    const here = { clock, identity, isAliveHere: () => true, times };
    const records = await openSharedRecords({ ...here, address, scope: "app" });
    const { schedule, inbox } = records;
    const desk = createInbox({
      store: inbox,
      clock,
      owner: identity,
      isAlive: () => false,
      mask: (value) => value,
    });
    const begun: string[] = [];
    afterTest(t, async () => {
      desk.close();
      await records.close();
    });
    return {
      ...records,
      desk,
      begun,
      async startScheduler(work = Promise.resolve()) {
        const scheduler = createScheduler({
          store: schedule,
          clock: schedule.shared!.clock,
          runner: {
            async run(_, run) {
              begun.push(run.id);
              await work;
              return { state: "succeeded", reason: null, summary: null };
            },
          },
          owner: identity,
          isAlive: (owner) => schedule.shared!.isAlive(owner),
          emit: () => {},
          settings: { ...defaultSettings, pollMs: 50, recoverMs: 100 },
        });
        afterTest(t, () => scheduler.close());
        await scheduler.start();
        return scheduler;
      },
    };
  }

  const heard = (machine: string, when: string): Promise<unknown> =>
    server.query(address, `UPDATE deckhand.owners SET seen_at = now() ${when} WHERE id LIKE '${machine}/%'`);
  const resumed = (): Promise<unknown> =>
    server.query(address, "UPDATE deckhand.pulse SET resumed_at = now() - interval '1 hour', beat_at = now()");

  test("a question of one is answered on the other, and the first hears it [L7]", async (t) => {
    address = await server.createDatabase();
    const [here, there] = [await openMachine(t, "here"), await openMachine(t, "there")];
    const { signal } = new AbortController();
    const asked = here.desk.ask(question, { executionId: "call_1", signal });
    await until(async () => (await there.desk.list({ states: ["waiting"] })).length === 1, "the question");
    const [entry] = await there.desk.list();
    const began = performance.now();
    const settled = await there.desk.answer(entry!.id, { options: [2] }, "kim");
    assert.equal(settled.ok, true);
    assert.deepEqual(await asked, { answered: true, text: "b", selected: ["b"] });
    t.diagnostic(`heard after ${Math.round(performance.now() - began)} ms`);
    const again = await here.desk.answer(entry!.id, { options: [1] }, "lee");
    assert.deepEqual(again, { ok: false, problem: "It is settled already: answered by kim." });
  });

  test("a question outlives a restart of the server [L7]", async (t) => {
    address = await server.createDatabase();
    const [here, there] = [await openMachine(t, "here"), await openMachine(t, "there")];
    const asked = here.desk.ask(question, { executionId: "call_1", signal: new AbortController().signal });
    await until(async () => (await there.desk.list()).length === 1, "the question");
    await server.stop();
    await assert.rejects(there.desk.list(), { code: "STORE_UNAVAILABLE" });
    await server.start();
    const [entry] = await there.desk.list();
    assert.equal((await there.desk.answer(entry!.id, { options: [1] }, "kim")).ok, true);
    assert.deepEqual(await asked, { answered: true, text: "a", selected: ["a"] });
  });

  test("a question whose process has left or fallen silent is abandoned, and not before [L7]", async (t) => {
    address = await server.createDatabase();
    const [here, there] = [await openMachine(t, "here"), await openMachine(t, "there")];
    const gone = await openMachine(t, "gone");
    const abort = new AbortController();
    for (const { desk } of [here, gone]) void desk.ask(question, { executionId: "call_1", signal: abort.signal });
    await until(async () => (await there.desk.list()).length === 2, "the questions");
    await heard("here", "+ interval '1 hour'");
    await gone.close();
    await resumed();
    const states = async (): Promise<unknown[]> => (await there.desk.list()).map(({ state }) => state).sort();
    await until(async () => (await states())[0] === "abandoned", "that it has left");
    assert.deepEqual(await states(), ["abandoned", "waiting"]);
    await heard("here", "- interval '3 seconds'");
    await until(async () => (await states())[1] === "abandoned", "that it is silent");
  });

  test("what a silent machine had is due again if it was not begun, lost if it was, and its owner can't write any more [D1]", async (t) => {
    address = await server.createDatabase();
    const [here, there] = [await openMachine(t, "here"), await openMachine(t, "there")];
    const owner = identityOf("here");
    const jobs = [makeJob(), makeJob(), makeJob({ isIdempotent: true })];
    const runs = jobs.map((job) => makeRun(job, { dueAt: Date.now() - 1000 }));
    for (const job of jobs) await here.schedule.addJob(job);
    for (const run of runs) {
      await here.schedule.addRun(run);
      assert.ok("claimed" in (await here.schedule.claim(run.id, { owner, alone: true }))!);
    }
    const running = { from: ["claimed"], fence: 1, set: { state: "running", startedAt: Date.now() } } as const;
    for (const { id } of runs.slice(1)) await here.schedule.changeRun(id, running);
    await heard("here", "+ interval '1 hour'");
    await there.startScheduler();
    const states = async (): Promise<unknown[]> =>
      Promise.all(runs.map(async ({ id }) => (await there.schedule.getRun(id))?.state));
    await resumed();
    // Long enough for several looks: whoever is heard of keeps what it has.
    const looks = there.schedule.shared!.clock.now();
    await until(() => there.schedule.shared!.clock.now() - looks > 500, "some looks");
    assert.deepEqual(await states(), ["claimed", "running", "running"]);
    await heard("here", "- interval '1 hour'");
    await until(async () => (await states()).every((state) => state === "succeeded" || state === "lost"), "their ends");
    assert.deepEqual(await states(), ["succeeded", "lost", "succeeded"]);
    assert.deepEqual(there.begun.sort(), [runs[0]!.id, runs[2]!.id].sort());
    const late = { from: ["claimed", "running"], fence: 1, set: { state: "succeeded", endedAt: 1 } } as const;
    for (const { id } of runs) assert.equal(await here.schedule.changeRun(id, late), undefined);
  });

  test("what ends while the server is away is recorded when it is back, and what is due then is run [D1]", async (t) => {
    address = await server.createDatabase();
    const machine = await openMachine(t, "here");
    const [ends, later] = [makeJob(), makeJob()];
    const run = makeRun(ends, { dueAt: Date.now() - 1000 });
    for (const job of [ends, later]) await machine.schedule.addJob(job);
    await machine.schedule.addRun(run);
    const work = Promise.withResolvers<void>();
    await machine.startScheduler(work.promise);
    await until(() => machine.begun.length === 1, "its work");
    await server.stop();
    work.resolve();
    await assert.rejects(machine.schedule.getRun(run.id), { code: "STORE_UNAVAILABLE" });
    await server.start();
    await until(async () => (await machine.schedule.getRun(run.id))?.state === "succeeded", "its end");
    const next = makeRun(later, { dueAt: Date.now() - 1000 });
    await machine.schedule.addRun(next);
    await until(async () => (await machine.schedule.getRun(next.id))?.state === "succeeded", "the next one");
    assert.deepEqual(machine.begun, [run.id, next.id]);
  });

  test("a machine whose clock is two days ahead runs nothing early [D1]", async (t) => {
    address = await server.createDatabase();
    const ahead: Clock = { ...systemClock, now: () => Date.now() + 2 * dayMs };
    const machine = await openMachine(t, "ahead", ahead);
    const at = Date.now() + 3_600_000;
    const times = { plannedUntilAt: Date.now(), nextAt: at };
    const job = makeJob({ when: { everyMs: 3_600_000, anchorAt: at }, ...times });
    await machine.schedule.addJob(job);
    await machine.startScheduler();
    assert.ok(Math.abs(machine.schedule.shared!.clock.now() - Date.now()) < dayMs / 24);
    assert.deepEqual(await machine.schedule.getJob(job.id), job);
    assert.deepEqual(await machine.schedule.listRuns({ limit: 10 }), []);
  });

  test("the time is right again after a machine has slept [D1]", async (t) => {
    address = await server.createDatabase();
    let elapsed = 0;
    let beat = (): void => {};
    const clock: Clock = {
      ...systemClock,
      monotonic: () => elapsed,
      after: (delayMs, callback) =>
        delayMs === 600_000 ? ((beat = callback), () => {}) : systemClock.after(delayMs, callback),
    };
    const machine = await openMachine(t, "here", clock);
    const now = (): number => machine.schedule.shared!.clock.now();
    const began = now();
    elapsed += 1000;
    assert.equal(now(), began + 1000);
    // Two hours that no timer has counted: the machine slept.
    elapsed -= 7_200_000;
    beat();
    await until(() => Math.abs(now() - Date.now()) < 60_000, "the time");
  });

  test("a change that the connection broke under is known again when it did happen [D1]", async (t) => {
    address = await server.createDatabase();
    const { schedule } = await openMachine(t, "here");
    const job = makeJob();
    const run = makeRun(job);
    await schedule.addRun(run);
    await schedule.claim(run.id, { owner: identityOf("here"), alone: true });
    const change = { from: ["claimed"], fence: 1, set: { state: "running", startedAt: 60 } } as const;
    // The connection ends in the statement, after its work: nobody can tell that from one that ended before it.
    await server.query(address, breakAfterUpdate);
    await assert.rejects(schedule.changeRun(run.id, change), { code: "STORE_UNAVAILABLE" });
    await server.query(address, "DROP FUNCTION deckhand.break_connection CASCADE");
    await server.query(address, "UPDATE deckhand.runs SET state = 'running', started_at = 60");
    const known = await schedule.changeRun(run.id, { ...change, set: { ...change.set, startedAt: 70 } });
    assert.deepEqual([known?.state, known?.startedAt, known?.fence], ["running", 60, 1]);
    assert.equal(await schedule.changeRun(run.id, change), undefined);
  });
});

const breakAfterUpdate = `
  CREATE FUNCTION deckhand.break_connection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
  CREATE TRIGGER break_connection AFTER UPDATE ON deckhand.runs FOR EACH ROW EXECUTE FUNCTION deckhand.break_connection()`;
