import { codeOf, messageOf } from "../../core/errors.ts";
import type { Job, JobPlan, Run, ScheduleStore } from "../../core/job.ts";
import { pauseJob } from "../jobs/change-jobs.ts";
import { planJob, rewindJob } from "../jobs/plan-job.ts";
import { tellSettled, type ScheduleParts } from "../schedule-parts.ts";
import type { TimesOf } from "../times/times.ts";
import { delayOf } from "./jitter.ts";
import { endOfTries, endUnstarted } from "./start-job-run.ts";
import { jumpMs } from "./watch-clock.ts";

/** Writes a row for each due time that has come, and decides about rows that were left lying. */
export async function planDue(
  parts: ScheduleParts,
  { times, now, presentSince }: { readonly times: TimesOf; readonly now: number; readonly presentSince: number },
): Promise<void> {
  const { store, settings } = parts;
  const { first, again } = await listLate(parts, now, presentSince);
  for (const run of again) await endLateTry(parts, run, now);
  const late = Map.groupBy(first, ({ jobId }) => jobId);
  const due = await store.listJobs({ dueBy: now });
  const known = new Set(due.map(({ id }) => id));
  for (const id of late.keys()) {
    const job = known.has(id) ? undefined : await store.getJob(id);
    if (job && !job.paused) due.push(job);
  }
  for (const job of due) {
    // Planned up to a time to come by a clock that was ahead: `rewindAll` is for that.
    if (job.plannedUntilAt > now) continue;
    await planOne(parts, job, async () => {
      const options = { times: await times(job.when), now, presentSince, ...settings };
      const plan = planJob(job, { ...options, late: late.get(job.id) ?? [] });
      // Several due times at once: what an earlier look planned and nothing started was not started in time either.
      return plan.add.length < 2 ? plan : planJob(job, { ...options, late: await listUnstarted(parts, job, now) });
    });
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
    // One whose times can't be read must not stop the others, and what is no fault of its own is tried again.
    const error = messageOf(thrown);
    if (codeOf(thrown) !== "JOB_INVALID") parts.emit("schedule:failed", { jobId: job.id, error });
    else await pauseJob(parts, job.id, { by: "schedule", reason: `Its times can't be read: ${error}` });
    return;
  }
  const planned = await parts.store.plan(job.id, plan);
  for (const run of planned?.runs ?? []) tellSettled(parts, run);
}

interface LateRuns {
  readonly first: Run[];
  /** That failed before, and were to be tried again. */
  readonly again: Run[];
}

/** Due, not waiting for another run, and still there: nobody was there to start them. */
async function listLate({ store, settings }: ScheduleParts, now: number, presentSince: number): Promise<LateRuns> {
  const late: LateRuns = { first: [], again: [] };
  for await (const run of eachDue(store, Math.min(now - settings.graceMs, presentSince) - 1)) {
    if (run.trigger !== "person" && run.waitsFor === null) late[run.attempt === 1 ? "first" : "again"].push(run);
  }
  return late;
}

/** All rows of a job that could have been started by now. */
async function listUnstarted({ store }: ScheduleParts, job: Job, now: number): Promise<Run[]> {
  const due = await store.listRuns({ jobId: job.id, states: ["due"], limit: mostUnstarted });
  return due.filter(
    ({ startAt, trigger, waitsFor, attempt }) =>
      startAt <= now && trigger !== "person" && waitsFor === null && attempt === 1,
  );
}

const mostUnstarted = 1000;

/** Where a run of that time would not be made up for, a try is not either. */
async function endLateTry(parts: ScheduleParts, run: Run, now: number): Promise<void> {
  const job = await parts.store.getJob(run.jobId);
  if (!job) return;
  const { mode, windowMs } = job.missed;
  if (mode !== "none" && now - run.startAt <= Math.min(windowMs, job.deadlineMs ?? Infinity)) return;
  await endUnstarted(parts, run, endOfTries(run, "Nothing could run when it was to be tried again."));
}

/**
 * Tries and catch-ups that were put off further than any clock that is right puts them: one that was ahead did. Others keep their
 * pause, whoever starts meanwhile. A catch-up whose time is still to come waits for that.
 */
async function bringForward({ store, settings }: ScheduleParts, now: number): Promise<void> {
  const due = await store.listRuns({ states: ["due"], limit: 10_000 });
  const catchUps = due.filter(isCatchUp);
  const latestStart = (run: Run): number => {
    if (run.attempt > 1) return now + settings.longestRetryMs;
    if (isCatchUp(run) && run.dueAt <= now) return now + catchUps.length * settings.staggerMs;
    return run.trigger === "time" ? Infinity : now;
  };
  const putOff = due.filter((run) => run.startAt > latestStart(run)).sort((a, b) => a.startAt - b.startAt);
  const inTurn = catchUps.filter((run) => !putOff.includes(run)).map(({ startAt }) => startAt + settings.staggerMs);
  let startAt = inTurn.reduce((a, b) => Math.max(a, b), now);
  for (const run of putOff) {
    if (isCatchUp(run) && run.dueAt > now) {
      const job = await store.getJob(run.jobId);
      const set = { trigger: "time", startAt: run.dueAt + (job ? delayOf(job) : 0) } as const;
      await store.changeRun(run.id, { from: ["due"], set });
    } else {
      await store.changeRun(run.id, { from: ["due"], set: { startAt } });
      startAt += settings.staggerMs;
    }
  }
}

function isCatchUp({ trigger, attempt }: Run): boolean {
  return trigger === "catch_up" && attempt === 1;
}

const mostInMemory = 100;

/** Each run that is due and may start by then, so many at a time: there may be more than anybody wants in memory. */
export async function* eachDue(
  store: ScheduleStore,
  startBy: number,
  atATime: number = mostInMemory,
): AsyncGenerator<Run> {
  const pageSize = Math.min(atATime, mostInMemory);
  let after: Run | undefined;
  do {
    const page = await store.listDue({ startBy, limit: pageSize, ...(after && { after }) });
    yield* page;
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after);
}
