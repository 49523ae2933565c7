import { messageOf } from "../core/errors.ts";
import type { JobPlan } from "../core/schedule-store.ts";
import type { Job, Run } from "../core/schedule.ts";
import { eachDue } from "./each-due.ts";
import { planJob, rewindJob } from "./plan-job.ts";
import { pauseJob } from "./pause-job.ts";
import { tellSettled, type ScheduleParts } from "./schedule-parts.ts";
import type { TimesOf } from "./times/remember-times.ts";
import { jumpMs } from "./watch-clock.ts";

/** Writes a row for each due time that has come, and decides about rows that were left lying. */
export async function planDue(
  parts: ScheduleParts,
  { times, now, presentSince }: { readonly times: TimesOf; readonly now: number; readonly presentSince: number },
): Promise<void> {
  const { store, settings } = parts;
  const late = Map.groupBy(await listLate(parts, now, presentSince), ({ jobId }) => jobId);
  const due = await store.listJobs({ dueBy: now });
  const known = new Set(due.map(({ id }) => id));
  for (const id of late.keys()) {
    const job = known.has(id) ? undefined : await store.getJob(id);
    if (job && !job.paused) due.push(job);
  }
  for (const job of due) {
    // Planned up to a time to come by a clock that was ahead: `rewindAll` is for that.
    if (job.plannedUntilAt > now) continue;
    await planOne(parts, job, async () =>
      planJob(job, { times: await times(job.when), now, late: late.get(job.id) ?? [], presentSince, ...settings }),
    );
  }
}

/** The clock was set back, maybe while nothing ran: times to come that were passed over have not come. */
export async function rewindAll(parts: ScheduleParts, times: TimesOf): Promise<void> {
  const { store, clock, settings } = parts;
  const now = clock.now();
  for (const job of await store.listJobs()) {
    if (job.plannedUntilAt <= now + jumpMs) continue;
    await planOne(parts, job, async () => rewindJob(job, { times: await times(job.when), now, ...settings }));
  }
  await bringForward(parts, now);
}

async function planOne(parts: ScheduleParts, job: Job, make: () => Promise<JobPlan>): Promise<void> {
  let plan: JobPlan;
  try {
    plan = await make();
  } catch (thrown) {
    // One whose times can't be read any more must not stop the others.
    await pauseJob(parts, job.id, { by: "schedule", reason: `Its times can't be read: ${messageOf(thrown)}` });
    return;
  }
  const planned = await parts.store.plan(job.id, plan);
  for (const run of planned?.runs ?? []) tellSettled(parts, run);
}

/** Due, not waiting for another run, and still there: nobody was there to start them. */
async function listLate({ store, settings }: ScheduleParts, now: number, presentSince: number): Promise<Run[]> {
  const late: Run[] = [];
  for await (const run of eachDue(store, Math.min(now - settings.graceMs, presentSince) - 1)) {
    if (run.trigger !== "person" && run.attempt === 1 && run.waitsFor === null) late.push(run);
  }
  return late;
}

/** Tries and catch-ups that were put off by the clock that was ahead. */
async function bringForward({ store, settings }: ScheduleParts, now: number): Promise<void> {
  const due = await store.listRuns({ states: ["due"], limit: 10_000 });
  const putOff = due.filter(({ trigger, attempt, startAt }) => (trigger !== "time" || attempt > 1) && startAt > now);
  for (const [index, { id }] of putOff.entries()) {
    await store.changeRun(id, { from: ["due"], set: { startAt: now + index * settings.staggerMs } });
  }
}
