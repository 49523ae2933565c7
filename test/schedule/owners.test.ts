import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../src/core/job.ts";
import type { RunOutcome } from "../../src/schedule/jobs/job-runner.ts";
import { openSchedule, orderOf, succeeded } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const never = (): Promise<RunOutcome> => new Promise(() => {});

test("several schedulers on one store start each run once [D1]", async (t) => {
  const { clock, jobs, history, open, begun } = await openSchedule(t);
  const schedulers = [11, 12, 13].map((pid) => open(pid));
  for (let nth = 0; nth < 5; nth++) {
    await jobs.add(orderOf({ name: `job ${nth}`, when: { cron: "*/5 * * * *", timeZone: "UTC" } }), "me");
  }
  for (const scheduler of schedulers) await scheduler.start();
  await clock.pass(6 * hour + minute);
  for (const scheduler of schedulers) await scheduler.close();
  assert.equal(begun.length, 5 * 72);
  assert.equal(new Set(begun.map(({ jobId, dueAt }) => `${jobId} ${dueAt}`)).size, begun.length);
  assert.ok((await history()).every((line) => line.endsWith("succeeded +0s")));
});

test("a run whose owner died while it ran is lost, and not run again [D1]", async (t) => {
  const { clock, jobs, store, open, kill, begun } = await openSchedule(t);
  await jobs.add(orderOf({ when: { at: clock.now() + minute } }), "me");
  await open(11, never).start();
  await clock.pass(2 * minute);
  kill(11);
  const next = open(12);
  await next.start();
  await clock.pass(hour);
  await next.close();
  const [run] = await store.listRuns({ limit: 10 });
  assert.deepEqual(
    [run?.state, run?.reason, begun.length],
    ["lost", "The process that ran it ended first, so nobody knows how far it came.", 1],
  );
});

test("a lost run of a job that may be repeated is started again, once unless it has more tries [D1]", async (t) => {
  const { clock, jobs, store, open, kill, begun } = await openSchedule(t);
  await jobs.add(orderOf({ when: { at: clock.now() + minute }, isIdempotent: true }), "me");
  for (const pid of [11, 12, 13]) {
    await open(pid, never).start();
    await clock.pass(2 * minute);
    kill(pid);
  }
  const last = open(14);
  await last.start();
  await last.close();
  const [run] = await store.listRuns({ limit: 10 });
  assert.deepEqual([run?.state, run?.attempt, begun.length], ["lost", 2, 2]);
});

test("three lost runs in a row pause the job: it may be what kills us [D1]", async (t) => {
  const { clock, jobs, store, open, kill } = await openSchedule(t);
  await jobs.add(orderOf(), "me");
  for (const pid of [11, 12, 13, 14]) {
    await open(pid, never).start();
    await clock.pass(hour);
    kill(pid);
  }
  const [job] = await store.listJobs();
  assert.match(job!.paused!.reason!, /^3 runs in a row failed; the latest: The process that ran it ended first/);
});

test("a run that was claimed and not begun by an owner that died is begun by another [D1]", async (t) => {
  const { clock, jobs, store, open, dead, begun } = await openSchedule(t);
  await jobs.add(orderOf(), "me");
  const run = await jobs.runNow("nightly", { by: "me" });
  await store.claim(run.id, { owner: { pid: 11, startTime: "1", bootId: "boot" }, alone: true });
  const next = open(12);
  await next.start();
  await clock.pass(minute);
  assert.equal((await store.getRun(run.id))?.state, "claimed");
  dead.add(11);
  await clock.pass(20 * minute);
  await next.close();
  const ended = await store.getRun(run.id);
  assert.deepEqual([ended?.state, ended?.fence, begun.length], ["succeeded", 2, 1]);
});

test("an owner that was thought dead and comes back is told to stop, and its word does not count [D1]", async (t) => {
  const { clock, jobs, store, open, dead, events } = await openSchedule(t);
  let wasStopped = false;
  await jobs.add(orderOf({ when: { at: clock.now() + minute } }), "me");
  const slow = open(
    11,
    (_, __, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          wasStopped = true;
          resolve(succeeded);
        });
      }),
  );
  await slow.start();
  await clock.pass(2 * minute);
  dead.add(11);
  const next = open(12);
  await next.start();
  await clock.pass(30 * minute);
  assert.equal(wasStopped, true);
  assert.equal((await store.listRuns({ limit: 1 }))[0]?.state, "lost");
  assert.equal(events.filter(({ type }) => type === "run:settled").length, 1);
  await Promise.all([slow.close(), next.close()]);
});

test("what lives on by itself is adopted by the next owner, with what was noted of it [D1]", async (t) => {
  const { clock, jobs, store, open, kill } = await openSchedule(t);
  await jobs.add(orderOf({ when: { at: clock.now() + minute } }), "me");
  await open(11, async (_, __, { note }) => {
    await note({ taskId: "task_1" });
    return never();
  }).start();
  await clock.pass(2 * minute);
  kill(11);
  const next = open(12, never, async (_, run) => {
    await new Promise<void>((resolve) => void clock.after(10 * minute, resolve));
    return { state: "succeeded", reason: null, summary: `adopted ${run.taskId}` };
  });
  await next.start();
  const [taken] = await store.listRuns({ limit: 1 });
  assert.deepEqual([taken?.state, taken?.owner?.pid, taken?.fence], ["running", 12, 2]);
  await clock.pass(20 * minute);
  const [run] = await store.listRuns({ limit: 1 });
  assert.deepEqual([run?.state, run?.summary], ["succeeded", "adopted task_1"]);
  await next.close();
});

test("a run that waited for another when its process died is missed like any other, when that was long ago [D1]", async (t) => {
  const { clock, jobs, open, kill, history } = await openSchedule(t);
  await jobs.add(orderOf({ overlap: "queue_one", timeoutMs: 24 * hour }), "me");
  await open(11, never).start();
  await clock.pass(2 * hour + minute);
  kill(11);
  await clock.pass(48 * hour);
  const next = open(12);
  await next.start();
  await clock.pass(minute);
  await next.close();
  const told = (await history()).map((line) => line.slice(6, 24));
  assert.deepEqual([...told.slice(0, 3), told.length], ["13:00:00 lost +0s", "14:00:00 missed", "15:00:00 missed", 50]);
  assert.equal(told.at(-1), "14:00:00 succeeded");
});

test("only so many are under way at once; the others wait, are not missed, and one that a person wants does not [D1]", async (t) => {
  let [now, most] = [0, 0];
  const { clock, jobs, open, store } = await openSchedule(t, { settings: { maxRunning: 3 } });
  const scheduler = open(11, async () => {
    most = Math.max(most, ++now);
    await new Promise<void>((resolve) => void clock.after(10 * minute, resolve));
    now -= 1;
    return succeeded;
  });
  for (let nth = 0; nth < 10; nth++) await jobs.add(orderOf({ name: `job ${nth}` }), "me");
  await scheduler.start();
  await clock.pass(hour + 5 * minute);
  assert.equal(most, 3);
  const wanted = await jobs.runNow("job 9", { by: "me" });
  const carriedOut = scheduler.carryOut(wanted.id);
  await clock.pass(5 * minute - 1);
  assert.equal(most, 4);
  await clock.pass(45 * minute);
  assert.equal((await carriedOut)?.state, "succeeded");
  const runs = await store.listRuns({ limit: 100 });
  assert.deepEqual([...Map.groupBy(runs, ({ state }) => state)].map(([state, { length }]) => [state, length]).flat(), [
    "succeeded",
    11,
  ]);
  await scheduler.close();
});

test("one that starts beside another does not call late what only waits for room [D1]", async (t) => {
  const { clock, jobs, open, store } = await openSchedule(t, { settings: { maxRunning: 2 } });
  const work = async (): Promise<RunOutcome> => {
    await new Promise<void>((resolve) => void clock.after(10 * minute, resolve));
    return succeeded;
  };
  for (let nth = 0; nth < 6; nth++) await jobs.add(orderOf({ name: `job ${nth}`, missed: { mode: "none" } }), "me");
  const schedulers = [open(11, work), open(12, work)];
  await schedulers[0]!.start();
  await clock.pass(hour + 5 * minute);
  await schedulers[1]!.start();
  await clock.pass(50 * minute);
  const states = (await store.listRuns({ limit: 100 })).map(({ state }) => state);
  assert.deepEqual(states, Array(6).fill("succeeded"));
  for (const scheduler of schedulers) await scheduler.close();
});

test("what waited for room when its scheduler was killed is started by one that comes at once, and missed when nobody does [D1]", async (t) => {
  for (const [awayMs, expected] of [
    [minute, ["lost", "succeeded", "succeeded"]],
    [10 * minute, ["lost", "missed", "missed"]],
  ] as const) {
    const { clock, jobs, open, kill, store } = await openSchedule(t, { settings: { maxRunning: 1 } });
    for (let nth = 0; nth < 3; nth++) await jobs.add(orderOf({ name: `job ${nth}`, missed: { mode: "none" } }), "me");
    await open(11, never).start();
    await clock.pass(hour + 30 * minute);
    kill(11);
    await clock.pass(awayMs);
    const next = open(12);
    await next.start();
    await clock.pass(minute);
    await next.close();
    const states = (await store.listRuns({ limit: 100 })).map(({ state }) => state);
    assert.deepEqual(states.sort(), expected);
  }
});

/** A run without end, which a process carries out that schedules nothing. */
async function beginRun({ jobs, open }: Awaited<ReturnType<typeof openSchedule>>, pid: number): Promise<Run> {
  await jobs.add(orderOf(), "me");
  const run = await jobs.runNow("nightly", { by: "me" });
  const began = Promise.withResolvers<void>();
  void open(pid, () => {
    began.resolve();
    return never();
  }).carryOut(run.id);
  await began.promise;
  return run;
}

test("without a scheduler a run of a process that died is not in the way of the next one [D1]", async (t) => {
  const schedule = await openSchedule(t);
  const { jobs, open, kill, store } = schedule;
  const first = await beginRun(schedule, 11);
  const inTheWay = await jobs.runNow("nightly", { by: "me" });
  assert.equal((await open(12).carryOut(inTheWay.id))?.state, "skipped");
  kill(11);
  const next = await jobs.runNow("nightly", { by: "me" });
  assert.equal((await open(13).carryOut(next.id))?.state, "succeeded");
  assert.equal((await store.getRun(first.id))?.state, "lost");
});

test("without a scheduler work that lives on is settled if it has ended, else it is in the way and is left as it was [D1]", async (t) => {
  const schedule = await openSchedule(t);
  const { clock, jobs, open, kill, store } = schedule;
  const first = await beginRun(schedule, 11);
  kill(11);
  const leave = (signal: AbortSignal): Promise<RunOutcome> =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ state: "left", reason: null, summary: null })),
    );
  const looking = open(12, undefined, (_job, _run, { signal }) => leave(signal));
  const second = await jobs.runNow("nightly", { by: "me" });
  const carriedOut = looking.carryOut(second.id);
  await clock.pass(2 * minute);
  assert.equal((await carriedOut)?.state, "skipped");
  await looking.close();
  const left = await store.getRun(first.id);
  assert.deepEqual([left?.state, left?.owner], ["running", null]);
  const third = await jobs.runNow("nightly", { by: "me" });
  const after = open(13, undefined, async () => succeeded);
  assert.equal((await after.carryOut(third.id))?.state, "succeeded");
  assert.equal((await store.getRun(first.id))?.state, "succeeded");
});
