import assert from "node:assert/strict";
import { test } from "node:test";
import { planDue } from "../../src/schedule/runs/plan-due.ts";
import { defaultSettings, type ScheduleParts } from "../../src/schedule/schedule-parts.ts";
import { openTimes, rememberTimes } from "../../src/schedule/times/times.ts";
import { failed, openSchedule, orderOf, succeeded } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test("one run can be carried out here, by a scheduler that was never started, and be cancelled from elsewhere [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    settings: { pollMs: 1000 },
    work: (_, __, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ ...failed, reason: "aborted" }))),
  });
  await schedule.jobs.add(orderOf(), "me");
  const { id } = await schedule.jobs.runNow("nightly", { by: "me" });
  const ended = schedule.scheduler.carryOut(id);
  await schedule.clock.pass(minute);
  assert.equal((await schedule.store.getRun(id))?.state, "running");
  await schedule.store.requestCancel(id, { reason: "by me", at: schedule.clock.now() });
  await schedule.clock.pass(2000);
  const run = await ended;
  assert.deepEqual([run?.state, run?.reason], ["cancelled", "by me"]);
  assert.equal(schedule.clock.waiting, 0);
  assert.equal((await schedule.scheduler.carryOut(id))?.state, "cancelled");
});

test("work that takes too long is told to stop; the row says so when it has [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    work: (_, __, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener(
          "abort",
          () => void schedule.clock.after(20_000, () => resolve({ ...failed, reason: "aborted" })),
        ),
      ),
  });
  await schedule.jobs.add(orderOf({ timeoutMs: 5 * minute }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour + 5 * minute + 10_000);
  assert.deepEqual(await schedule.history(), ["11-16 13:00:00 running +0s"]);
  await schedule.clock.pass(20_000);
  const [run] = await schedule.store.listRuns({ limit: 1 });
  assert.deepEqual([run?.state, run?.reason], ["timed_out", "It took longer than its limit of 300 s."]);
  assert.equal(run!.endedAt! - run!.startedAt!, 320_000);
});

test("work that does not stop when it is told to does not hold its job up for ever [D1]", async (t) => {
  const schedule = await openSchedule(t, { work: () => new Promise(() => {}) });
  await schedule.jobs.add(orderOf({ timeoutMs: 5 * minute, retries: 2 }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour + 7 * minute);
  assert.deepEqual(await schedule.history(), ["11-16 13:00:00 timed_out +0s"]);
  const [run] = await schedule.store.listRuns({ limit: 1 });
  assert.equal(run?.reason, "It took longer than its limit of 300 s. It had not ended 60 s after it was told to.");
});

test("work that throws, whatever it throws, has failed [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    work: () => {
      throw new Error("at once");
    },
  });
  await schedule.jobs.add(orderOf(), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour + minute);
  const [run] = await schedule.store.listRuns({ limit: 1 });
  assert.deepEqual([run?.state, run?.reason], ["failed", "at once"]);
});

test("a job that is removed while it runs is stopped, and what was to come never comes [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    work: (_, __, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ ...failed, reason: "aborted" }))),
  });
  await schedule.jobs.add(orderOf({ overlap: "queue_one", timeoutMs: day }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(2 * hour + minute);
  await schedule.jobs.remove("nightly", { by: "me" });
  await schedule.clock.pass(day);
  assert.deepEqual(await schedule.history(), ["11-16 13:00:00 cancelled +0s", "11-16 14:00:00 cancelled"]);
  await assert.rejects(schedule.jobs.find("nightly"), { code: "JOB_UNKNOWN" });
});

test("closing stops the work and leaves no row half: not begun is due, begun is cancelled or due again [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    work: (job, _, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () =>
          resolve(
            job.name === "left" ? { state: "left", reason: null, summary: null } : { ...failed, reason: "aborted" },
          ),
        ),
      ),
  });
  await schedule.jobs.add(orderOf({ name: "once only" }), "me");
  await schedule.jobs.add(orderOf({ name: "again", isIdempotent: true }), "me");
  await schedule.jobs.add(orderOf({ name: "left" }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour + minute);
  await schedule.scheduler.close();
  const runs = await schedule.store.listRuns({ limit: 10 });
  const told = runs.map(({ jobName, state, reason, owner }) => [jobName, state, reason, owner?.pid ?? null]);
  assert.deepEqual(told.map((each) => each.join()).sort(), [
    "again,due,Deckhand was stopped.,",
    "left,running,,",
    "once only,cancelled,Deckhand was stopped.,1",
  ]);
  assert.equal(schedule.clock.waiting, 0);
  const adopted: string[] = [];
  const next = schedule.open(
    2,
    async () => succeeded,
    async (job) => {
      adopted.push(job.name);
      return { ...succeeded, summary: "went on" };
    },
  );
  await next.start();
  await schedule.clock.pass(minute);
  await next.close();
  assert.deepEqual(adopted, ["left"]);
  const after = await schedule.store.listRuns({ limit: 10 });
  const ends = after.map(({ jobName, state, attempt, summary }) => [jobName, state, attempt, summary].join());
  assert.deepEqual(ends.sort(), ["again,succeeded,1,done", "left,succeeded,1,went on", "once only,cancelled,1,"]);
});

test("a job whose times can't be read any more is paused with the reason, and stops no other [D1]", async (t) => {
  const { clock, jobs, scheduler, store, history } = await openSchedule(t);
  const job = await jobs.add(orderOf({ name: "a good one" }), "me");
  const broken = {
    ...job,
    id: job.id.replace(/.$/, "z"),
    name: "a broken one",
    when: { cron: "0 * * * *", timeZone: "Gone/City" },
  };
  await store.addJob(broken);
  await scheduler.start();
  await clock.pass(hour + minute);
  assert.deepEqual(await history(), ["11-16 13:00:00 succeeded +0s"]);
  assert.match(
    (await store.getJob(broken.id))!.paused!.reason!,
    /^Its times can't be read: There is no time zone "Gone\/City"/,
  );
});

test("times that can't be read for another reason than the job are read at the next look, and pause nothing [D1]", async (t) => {
  const { clock, jobs, store, history } = await openSchedule(t);
  const told: unknown[] = [];
  const parts: ScheduleParts = {
    store,
    clock,
    runner: { run: async () => succeeded },
    owner: { pid: 1, startTime: "1", bootId: "boot" },
    isAlive: () => true,
    emit: (type, payload) => void told.push({ type, ...payload }),
    settings: defaultSettings,
  };
  let opened = 0;
  const times = rememberTimes(async (when) => {
    if (++opened === 1) throw new Error("too many open files");
    return openTimes(when);
  });
  const job = await jobs.add(orderOf(), "me");
  await clock.pass(hour);
  for (let nth = 0; nth < 3; nth++) await planDue(parts, { times, now: clock.now(), presentSince: 0 });
  assert.equal((await store.getJob(job.id))?.paused, null);
  assert.deepEqual(await history(), ["11-16 13:00:00 due"]);
  assert.deepEqual(told, [{ type: "schedule:failed", jobId: job.id, error: "too many open files" }]);
});

test("a store that fails for a while is told, and nothing is lost [D1]", async (t) => {
  const schedule = await openSchedule(t);
  const plan = schedule.store.plan.bind(schedule.store);
  await schedule.jobs.add(orderOf(), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour - 1000);
  Object.assign(schedule.store, { plan: () => Promise.reject(new Error("disk full")) });
  await schedule.clock.pass(10_000);
  assert.deepEqual(await schedule.history(), []);
  assert.ok(schedule.events.some(({ type }) => type === "schedule:failed"));
  Object.assign(schedule.store, { plan });
  await schedule.clock.pass(minute);
  assert.deepEqual(
    (await schedule.history()).map((line) => line.slice(0, 24)),
    ["11-16 13:00:00 succeeded"],
  );
});

test("how work ended is recorded when the store takes it again, not lost [D1]", async (t) => {
  const schedule = await openSchedule(t);
  const changeRun = schedule.store.changeRun.bind(schedule.store);
  const isDown = (): boolean => schedule.clock.now() < Date.parse("2026-11-16T13:00:20Z");
  Object.assign(schedule.store, {
    changeRun(...[id, change]: Parameters<typeof changeRun>) {
      const isEnd = change.set.endedAt !== undefined;
      return isEnd && isDown() ? Promise.reject(new Error("disk full")) : changeRun(id, change);
    },
  });
  await schedule.jobs.add(orderOf(), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour + 30 * minute);
  assert.deepEqual(await schedule.history(), ["11-16 13:00:00 succeeded +0s"]);
  assert.ok(schedule.events.some(({ type }) => type === "schedule:failed"));
});

test("a cancel that comes just before a try fails ends the run all the same [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    work: async (_, run) => {
      await schedule.store.requestCancel(run.id, { reason: "by me", at: schedule.clock.now() });
      return failed;
    },
  });
  await schedule.jobs.add(orderOf({ retries: 5 }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour + 30 * minute);
  assert.deepEqual(await schedule.history(), ["11-16 13:00:00 cancelled #2 +0s"]);
});

test("a machine that has no more files to give is no fault of the job: it is not paused for that [D1]", async (t) => {
  const crowded = Object.assign(new Error("EMFILE: too many open files, open 'x'"), { code: "EMFILE" });
  const { clock, jobs, scheduler, store } = await openSchedule(t, {
    work: async () => {
      throw new Error("The tool could not be loaded.", { cause: crowded });
    },
  });
  const job = await jobs.add(orderOf({ pauseAfterFailures: 3 }), "me");
  await scheduler.start();
  await clock.pass(5 * 3_600_000);
  assert.equal((await store.getJob(job.id))!.paused, null);
  const runs = await store.listRuns({ limit: 10 });
  assert.deepEqual(
    runs.map(({ state, reason }) => [state, reason]),
    Array.from({ length: 5 }, () => ["skipped", "The tool could not be loaded."]),
  );
});

test("a job that is due once, and can't be done as things are, waits and runs when it can [D1]", async (t) => {
  let isSafeMode = true;
  const { clock, jobs, scheduler, store, begun } = await openSchedule(t, {
    settings: { pollMs: 1000 },
    work: async () => (isSafeMode ? { state: "skipped", reason: "Safe mode is on.", summary: null } : succeeded),
  });
  await jobs.add(orderOf({ when: { at: clock.now() + 5000 } }), "me");
  await scheduler.start();
  await clock.pass(120_000);
  const [waiting] = await store.listRuns({ limit: 10 });
  assert.deepEqual([waiting!.state, waiting!.reason, waiting!.attempt], ["due", "Safe mode is on.", 1]);
  isSafeMode = false;
  await clock.pass(60_000);
  const runs = await store.listRuns({ limit: 10 });
  assert.deepEqual(
    runs.map(({ state, reason }) => [state, reason]),
    [["succeeded", null]],
  );
  assert.equal(new Set(begun.map(({ id }) => id)).size, 1);
});
