import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, openSchedule, orderOf, succeeded } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test("each time has a row before its work begins, and the work has the row's key [D1]", async (t) => {
  const seen: string[] = [];
  const schedule = await openSchedule(t, {
    work: async (job, run, { key }) => {
      const row = await schedule.store.getRun(run.id);
      seen.push(`${row?.state} ${row?.fence} ${key === `${job.id}:${run.dueAt}`}`);
      return { state: "succeeded", reason: null, summary: `saw ${run.attempt}` };
    },
  });
  const { clock, jobs, scheduler, store, history, events } = schedule;
  const job = await jobs.add(orderOf(), "me");
  await scheduler.start();
  await clock.pass(2 * hour + minute);
  assert.deepEqual(seen, ["running 1 true", "running 1 true"]);
  assert.deepEqual(await history(), ["11-16 13:00:00 succeeded +0s", "11-16 14:00:00 succeeded +0s"]);
  const [latest] = await store.listRuns({ limit: 1 });
  assert.equal(latest?.summary, "saw 1");
  assert.equal((await store.getJob(job.id))?.nextAt, Date.parse("2026-11-16T15:00Z"));
  const types = events.map(({ type }) => type);
  assert.deepEqual(types, ["job:changed", "run:started", "run:settled", "run:started", "run:settled"]);
});

test("a job that is due once runs once, and then never again [D1]", async (t) => {
  const { clock, jobs, scheduler, history } = await openSchedule(t);
  await jobs.add(orderOf({ when: { at: clock.now() + 90 * minute } }), "me");
  await scheduler.start();
  await clock.pass(3 * day);
  assert.deepEqual(await history(), ["11-16 13:30:00 succeeded +0s"]);
});

test("a job added by another process is found, also when it is due before anything else [D1]", async (t) => {
  const { clock, jobs, scheduler, history } = await openSchedule(t, { settings: { pollMs: 1000 } });
  await scheduler.start();
  await clock.pass(hour);
  await jobs.add(orderOf({ when: { at: clock.now() + 5000 } }), "me");
  await clock.pass(7000);
  assert.deepEqual(await history(), ["11-16 13:00:05 succeeded +0s"]);
});

test("each run starts a little after its time, the same each time, others at other times [D1]", async (t) => {
  const { clock, jobs, scheduler, store } = await openSchedule(t);
  for (let nth = 0; nth < 20; nth++) await jobs.add(orderOf({ name: `job ${nth}`, jitterMs: 60_000 }), "me");
  await scheduler.start();
  await clock.pass(3 * hour + 2 * minute);
  const runs = await store.listRuns({ limit: 100 });
  assert.equal(runs.length, 60);
  const delays = Map.groupBy(runs, ({ jobId }) => jobId).values();
  const distinct = [...delays].map((ofJob) => new Set(ofJob.map(({ startedAt, dueAt }) => startedAt! - dueAt)));
  for (const ofJob of distinct) assert.equal(ofJob.size, 1);
  const all = distinct.map(([delay]) => delay!);
  assert.ok(new Set(all).size > 10 && Math.max(...all) <= 60_000);
});

for (const [overlap, expected, begun] of [
  ["skip", ["succeeded +0s", "skipped", "skipped", "succeeded +0s"], 2],
  ["queue_one", ["succeeded +0s", "succeeded +5400s", "skipped", "succeeded +7200s"], 3],
  ["cancel_old", ["cancelled +0s", "cancelled +0s", "cancelled +0s", "running +0s"], 4],
  ["allow", ["succeeded +0s", "running +0s", "running +0s", "running +0s"], 4],
] as const) {
  test(`work that is still under way when the next time comes: ${overlap} [D1]`, async (t) => {
    const schedule = await openSchedule(t, {
      work: (_, __, { signal }) =>
        new Promise((resolve) => {
          schedule.clock.after(150 * minute, () => resolve(succeeded));
          signal.addEventListener("abort", () => resolve({ state: "cancelled", reason: "told to", summary: null }));
        }),
    });
    await schedule.jobs.add(orderOf({ overlap, timeoutMs: 5 * hour }), "me");
    await schedule.scheduler.start();
    // Due at 13, 14, 15 and 16 o'clock.
    await schedule.clock.pass(
      overlap === "skip" ? 7 * hour - minute : overlap === "queue_one" ? 10 * hour : 4 * hour + minute,
    );
    const history = await schedule.history();
    const told = history.slice(0, 4).map((line) => line.slice(15));
    assert.deepEqual(told, expected);
    if (overlap === "skip") {
      const skipped = await schedule.store.listRuns({ states: ["skipped"], limit: 100 });
      for (const { reason } of skipped) assert.match(reason!, /^An earlier run \(run_\S+\) was still running\.$/);
    }
    if (overlap !== "queue_one")
      assert.equal(schedule.begun.filter(({ dueAt }) => dueAt <= Date.parse("2026-11-16T16:00Z")).length, begun);
  });
}

test("a run that waited too long for another is missed when its deadline is over [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    work: () => new Promise((resolve) => void schedule.clock.after(90 * minute, () => resolve(succeeded))),
  });
  await schedule.jobs.add(orderOf({ overlap: "queue_one", deadlineMs: 10 * minute, timeoutMs: 5 * hour }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(3 * hour);
  assert.deepEqual(await schedule.history(), [
    "11-16 13:00:00 succeeded +0s",
    "11-16 14:00:00 missed",
    "11-16 15:00:00 running +0s",
  ]);
});

test("a deadline counts from the moment at which a run was to start, however late after its time that is [D1]", async (t) => {
  const { clock, jobs, scheduler, store } = await openSchedule(t);
  const { id, ...kept } = await jobs.add(orderOf(), "me");
  // As an earlier version took them.
  for (const nth of [1, 2, 3, 4, 5]) {
    const name = `job ${nth}`;
    await store.addJob({ ...kept, id: `${id}${nth}`, name, jitterMs: hour / 2, deadlineMs: 1000 });
  }
  await scheduler.start();
  await clock.pass(2 * hour - minute);
  const states = (await store.listRuns({ limit: 100 })).map(({ state }) => state);
  assert.deepEqual(states, Array(6).fill("succeeded"));
});

test("what failed is tried again with longer pauses, in the same row [D1]", async (t) => {
  const starts: number[] = [];
  const schedule = await openSchedule(t, {
    work: async () => {
      starts.push(schedule.clock.now());
      return starts.length < 4 ? failed : succeeded;
    },
  });
  await schedule.jobs.add(orderOf({ retries: 3, when: { at: schedule.clock.now() + minute } }), "me");
  await schedule.scheduler.start();
  await schedule.clock.pass(hour);
  assert.deepEqual(
    starts.map((at) => (at - starts[0]!) / 1000),
    [0, 30, 90, 210],
  );
  const [run, ...others] = await schedule.store.listRuns({ limit: 10 });
  assert.deepEqual([run?.state, run?.attempt, others.length], ["succeeded", 4, 0]);
  assert.equal(schedule.events.filter(({ type }) => type === "run:retried").length, 3);
  assert.equal(schedule.events.filter(({ type }) => type === "run:settled").length, 1);
});

test("what can't be helped is not tried again [D1]", async (t) => {
  const { clock, jobs, scheduler, history } = await openSchedule(t, {
    work: async () => ({ ...failed, isHopeless: true, reason: "The file tools/gone.ts is gone." }),
  });
  await jobs.add(orderOf({ retries: 3 }), "me");
  await scheduler.start();
  await clock.pass(90 * minute);
  assert.deepEqual(await history(), ["11-16 13:00:00 failed +0s"]);
});

test("after three failed runs in a row the job is paused, and says why; a success in between begins anew [D1]", async (t) => {
  let nth = 0;
  const { clock, jobs, scheduler, history, store, events } = await openSchedule(t, {
    work: async () => (++nth === 3 ? succeeded : failed),
  });
  await jobs.add(orderOf(), "me");
  await scheduler.start();
  await clock.pass(day);
  assert.equal((await history()).length, 6);
  const [job] = await store.listJobs();
  assert.deepEqual(job?.paused, {
    by: "schedule",
    reason: "3 runs in a row failed; the latest: It broke.",
    at: Date.parse("2026-11-16T18:00Z"),
  });
  assert.deepEqual(
    events.findLast(({ type }) => type === "job:changed"),
    {
      type: "job:changed",
      id: job.id,
      name: "nightly",
      change: "paused",
      by: "schedule",
      reason: job.paused.reason,
    },
  );
  await jobs.resume("nightly", { by: "me" });
  await clock.pass(2 * hour + minute);
  assert.equal((await store.listJobs())[0]?.paused, null);
});

test("what was due during a pause has rows that say so, and a pause stops tries as well [D1]", async (t) => {
  const { clock, jobs, scheduler, history } = await openSchedule(t, { work: async () => failed });
  await jobs.add(orderOf({ retries: 1, pauseAfterFailures: 0 }), "me");
  await scheduler.start();
  await clock.pass(hour + 1000);
  assert.equal(await jobs.pause("nightly", { by: "me", reason: "holiday" }), true);
  assert.equal(await jobs.pause("nightly", { by: "me" }), false);
  await clock.pass(3 * hour);
  assert.deepEqual(await history(), ["11-16 13:00:00 failed #2 +0s"]);
  assert.equal(await jobs.resume("nightly", { by: "me" }), true);
  assert.equal(await jobs.resume("nightly", { by: "me" }), false);
  await clock.pass(hour + minute);
  assert.deepEqual(
    (await history()).map((line) => line.slice(6, 24)),
    ["13:00:00 failed #2", "14:00:00 skipped", "15:00:00 skipped", "16:00:00 skipped", "17:00:00 failed #2"],
  );
});

test("a run that is wanted now runs now, also of a paused job, and counts for none of its times [D1]", async (t) => {
  const { clock, jobs, scheduler, history } = await openSchedule(t);
  await jobs.add(orderOf(), "me");
  await scheduler.start();
  await jobs.pause("nightly", { by: "me" });
  const run = await jobs.runNow("nightly", { by: "me" });
  assert.equal(run.trigger, "person");
  scheduler.wake();
  await clock.pass(2000);
  await jobs.resume("nightly", { by: "me" });
  await clock.pass(hour - 2000);
  await jobs.runNow("nightly", { by: "me" });
  scheduler.wake();
  await clock.pass(2000);
  assert.deepEqual(await history(), [
    "11-16 12:00:00 succeeded person +0s",
    "11-16 12:59:59 succeeded person +0.001s",
    "11-16 13:00:00 succeeded +0s",
  ]);
});
