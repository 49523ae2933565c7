import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScheduleStore } from "../../src/core/job.ts";
import type { RunOutcome } from "../../src/schedule/jobs/job-runner.ts";
import { openSchedule, orderOf, type TestSchedule } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const never = (): Promise<RunOutcome> => new Promise(() => {});

/** A schedule in which something happens just before a row becomes `running`; its work ignores its signal. */
async function openWith(
  t: Parameters<typeof openSchedule>[0],
  happen: (schedule: TestSchedule, runId: string) => Promise<void>,
): Promise<TestSchedule> {
  const wrapStore = (store: ScheduleStore): ScheduleStore => ({
    ...store,
    async changeRun(id, change) {
      if (change.set.state === "running") await happen(schedule, id);
      return store.changeRun(id, change);
    },
  });
  const schedule = await openSchedule(t, { work: never, wrapStore });
  await schedule.jobs.add(orderOf({ timeoutMs: 5 * hour }), "me");
  await schedule.scheduler.start();
  return schedule;
}

test("a scheduler that closes just before the work of a run begins does not begin it: it is due [D1]", async (t) => {
  const schedule = await openWith(t, async ({ scheduler, clock }) => {
    void scheduler.close();
    await new Promise<void>((resolve) => void clock.after(1000, resolve));
  });
  await schedule.clock.pass(hour + minute);
  await schedule.scheduler.close();
  assert.deepEqual(await schedule.history(), ["11-16 13:00:00 due"]);
  assert.equal(schedule.begun.length, 0);
  const [run] = await schedule.store.listRuns({ limit: 1 });
  assert.deepEqual([run?.owner, run?.reason, run?.attempt], [null, null, 1]);
});

test("a cancel that comes just before the work of a run begins ends it, and nothing is begun [D1]", async (t) => {
  const schedule = await openWith(t, async ({ store, clock }, runId) => {
    await store.requestCancel(runId, { reason: "by me", at: clock.now() });
    await new Promise<void>((resolve) => void clock.after(1000, resolve));
  });
  await schedule.clock.pass(hour + minute);
  const [run] = await schedule.store.listRuns({ limit: 1 });
  assert.deepEqual([run?.state, run?.reason], ["cancelled", "by me"]);
  assert.equal(schedule.begun.length, 0);
  await schedule.scheduler.close();
});

for (const [told, stop] of [
  ["", async () => {}],
  [
    ", also of one that was being cancelled",
    async ({ store, clock, scheduler }: TestSchedule) => {
      const [run] = await store.listRuns({ limit: 1 });
      await store.requestCancel(run!.id, { reason: "by me", at: clock.now() });
      scheduler.wake();
      await clock.pass(1000);
    },
  ],
] as const) {
  test(`a scheduler that closes waits ten seconds for work that does not stop${told} [D1]`, async (t) => {
    const schedule = await openWith(t, async () => {});
    const { clock, store } = schedule;
    await clock.pass(hour + minute);
    await stop(schedule);
    const closed = schedule.scheduler.close();
    await clock.pass(10_000);
    await closed;
    const [run] = await store.listRuns({ limit: 1 });
    const first = told === "" ? "Deckhand was stopped." : "by me";
    assert.deepEqual([run?.state, run?.reason], ["cancelled", `${first} It had not ended 10 s after it was told to.`]);
  });
}
