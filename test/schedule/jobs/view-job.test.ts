import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run, ScheduleStore } from "../../../src/core/job.ts";
import { viewJob } from "../../../src/schedule/jobs/view-job.ts";
import { createMemoryScheduleStore } from "../../../src/records/memory/memory-schedule-store.ts";
import { makeJob, makeRun } from "../../contract/make-job.ts";
import { failed, openSchedule, orderOf } from "../support/open-schedule.ts";

const hour = 3_600_000;

test("what was missed is counted by due times, not by rows, back to the last success [D1]", async (t) => {
  const { clock, jobs, scheduler, store } = await openSchedule(t, { work: async () => failed });
  const order = orderOf({ when: { everyMs: 1000, anchorAt: clock.now() }, missed: { mode: "none" } });
  const job = await jobs.add(order, "me");
  await clock.pass(24 * hour);
  await scheduler.start();
  const { passedOver } = await viewJob(store, job);
  const runs = await store.listRuns({ limit: 1000 });
  const [span] = runs.flatMap((run) => run.span ?? []);
  const rows = runs.filter(({ state }) => state === "missed" || state === "skipped").length;
  assert.equal(passedOver, rows - 1 + span!.count!);
  // All but the few that are due just now.
  assert.ok(passedOver > 86_300 && passedOver <= 86_400, `${passedOver}`);
});

test("only what came after the last success counts, however far back that is [D1]", async () => {
  const store = createMemoryScheduleStore();
  const job = makeJob();
  await store.addJob(job);
  const add = (dueAt: number, more: Partial<Run>) => store.addRun(makeRun(job, { dueAt, ...more }));
  assert.deepEqual(await viewJob(store, job), { job, lastRun: null, passedOver: 0 });
  await add(1, { state: "missed" });
  await add(2, { state: "succeeded" });
  await add(3, { state: "missed", span: { fromAt: 3, count: null } });
  for (let dueAt = 4; dueAt < 104; dueAt++) await add(dueAt, { state: dueAt % 2 === 0 ? "skipped" : "failed" });
  const { lastRun, passedOver } = await viewJob(store, job);
  assert.deepEqual([lastRun?.dueAt, passedOver], [103, 51]);
});

test("of a job whose latest run succeeded one row is read, however long its history is [D1]", async () => {
  const store = createMemoryScheduleStore();
  const job = makeJob();
  for (let dueAt = 1; dueAt <= 100; dueAt++) await store.addRun(makeRun(job, { dueAt, state: "succeeded" }));
  let rows = 0;
  const counting: ScheduleStore = {
    ...store,
    async listRuns(query) {
      const found = await store.listRuns(query);
      rows += found.length;
      return found;
    },
  };
  const { lastRun, passedOver } = await viewJob(counting, job);
  assert.deepEqual([lastRun?.dueAt, passedOver, rows], [100, 0, 1]);
});
