import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, openSchedule, orderOf, succeeded, type TestSchedule } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const settings = { retryMs: 10 * minute };

test("a scheduler that starts leaves the pause between two tries as it is [D1]", async (t) => {
  const { clock, jobs, open, begun, history } = await openSchedule(t, { settings });
  await jobs.add(orderOf({ retries: 1, when: { at: clock.now() + hour } }), "me");
  const schedulers = [11, 12].map((pid) => open(pid, async (_, run) => (run.attempt === 1 ? failed : succeeded)));
  await schedulers[0]!.start();
  await clock.pass(hour + minute);
  await schedulers[1]!.start();
  await clock.pass(8 * minute);
  assert.equal(begun.length, 1);
  await clock.pass(2 * minute);
  assert.deepEqual(await history(), ["11-16 13:00:00 succeeded #2 +600s"]);
  assert.equal(begun.length, 2);
  for (const scheduler of schedulers) await scheduler.close();
});

test("tries that a clock that was ahead put off are made when it is set right, in their order [D1]", async (t) => {
  const { clock, jobs, open, begun } = await openSchedule(t, { settings });
  for (const nth of [2, 0, 1]) {
    const when = { at: clock.now() + hour + nth * minute };
    await jobs.add(orderOf({ name: `job ${nth}`, retries: 1, when }), "me");
  }
  const scheduler = open(11, async (_, run) => (run.attempt === 1 ? failed : succeeded));
  await scheduler.start();
  clock.set(2 * day);
  // They catch up, and fail.
  await clock.pass(5 * minute);
  assert.equal(begun.length, 3);
  clock.set(-2 * day);
  await clock.pass(5 * minute);
  const inOrder = begun.slice(0, 3).map(({ jobName }) => jobName);
  assert.deepEqual(
    begun.slice(3).map(({ jobName, attempt }) => `${jobName} #${attempt}`),
    inOrder.map((name) => `${name} #2`),
  );
  await scheduler.close();
});

async function comeBack(
  t: Parameters<typeof openSchedule>[0],
  given: Parameters<typeof orderOf>[0],
): Promise<TestSchedule> {
  const schedule = await openSchedule(t, { settings });
  const { clock, jobs, open } = schedule;
  await jobs.add(orderOf({ retries: 3, pauseAfterFailures: 1, when: { at: clock.now() + hour }, ...given }), "me");
  const first = open(11, async () => failed);
  await first.start();
  await clock.pass(hour + minute);
  await first.close();
  await clock.pass(3 * day);
  const next = open(12);
  await next.start();
  await clock.pass(hour);
  await next.close();
  return schedule;
}

for (const [told, given] of [
  ["the job does not catch up", { missed: { mode: "none" } }],
  ["it is longer ago than the job catches up with", { missed: { windowMs: day } }],
  ["its deadline is over", { deadlineMs: minute }],
] as const) {
  test(`a try that nobody could make for days ends as what failed before: ${told} [D1]`, async (t) => {
    const { begun, store, events } = await comeBack(t, given);
    const [run] = await store.listRuns({ limit: 1 });
    assert.deepEqual(
      [run?.state, run?.attempt, run?.reason, begun.length],
      ["failed", 2, "Attempt 1 failed: It broke. (Nothing could run when it was to be tried again.)", 1],
    );
    assert.equal(events.filter(({ type }) => type === "run:settled").length, 1);
    assert.match((await store.listJobs())[0]!.paused!.reason!, /^A run failed; the latest: Attempt 1 failed/);
  });
}

test("a try that nobody could make for days is made when the job catches up with that time [D1]", async (t) => {
  const { begun, history } = await comeBack(t, {});
  assert.deepEqual(await history(), ["11-16 13:00:00 succeeded #2 +259260s"]);
  assert.equal(begun.length, 2);
});

test("a try that waits for another run beyond its deadline is not made [D1]", async (t) => {
  const schedule = await openSchedule(t, {
    settings,
    work: async (_, run) => {
      if (run.trigger === "time") return failed;
      await new Promise<void>((resolve) => void schedule.clock.after(hour, resolve));
      return succeeded;
    },
  });
  const { clock, jobs, scheduler, store, begun } = schedule;
  await jobs.add(orderOf({ retries: 1, deadlineMs: 5 * minute, when: { at: clock.now() + hour } }), "me");
  await scheduler.start();
  await clock.pass(hour + minute);
  await jobs.runNow("nightly", { by: "me" });
  await clock.pass(2 * hour);
  const run = (await store.listRuns({ limit: 5 })).find(({ trigger }) => trigger === "time");
  assert.deepEqual(
    [run?.state, run?.reason, begun.length],
    ["failed", "Attempt 1 failed: It broke. (It could not start within 300 s of its time.)", 2],
  );
});
