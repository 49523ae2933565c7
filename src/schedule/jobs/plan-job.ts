import { createId } from "../../core/ids.ts";
import type { Job, JobPlan, Run, RunSet } from "../../core/job.ts";
import { delayOf } from "../runs/jitter.ts";
import type { Times } from "../times/times.ts";

export interface PlanOptions {
  readonly times: Times;
  readonly now: number;
  /** Rows of this job that are `due` and were left lying. */
  readonly late: readonly Run[];
  /** A start that is later than that is late, if it was to be at a time when nobody was there. */
  readonly graceMs: number;
  readonly presentSince: number;
  readonly staggerMs: number;
}

/** So many due times get a row of their own at once; earlier ones share one. */
const mostRows = 100;

/** Rows for all due times up to now. What nobody could start in time is missed, or caught up with as the job's rule says. */
export function planJob(job: Job, options: PlanOptions): JobPlan {
  const { times, now, late, graceMs, presentSince } = options;
  const due = collectDue(times, { after: job.plannedUntilAt, until: now, most: mostRows });
  const runs = due.times.map((dueAt) => newRun(job, dueAt, now));
  const latest = runs.at(-1);
  // One look finds one due time: where it finds several, nothing could run at the earlier ones.
  const isLate = (run: Run): boolean => run !== latest || (now - run.startAt > graceMs && run.startAt < presentSince);
  const { catchUps, missed } = chooseCatchUps(job, {
    late: [...late, ...runs.filter(isLate)].sort((a, b) => a.dueAt - b.dueAt),
    isFollowed: runs.some((run) => !isLate(run)),
    now,
  });
  const lateSets = new Map<string, RunSet>();
  for (const { id } of catchUps) lateSets.set(id, { trigger: "catch_up", startAt: now });
  for (const { run, reason } of missed) lateSets.set(run.id, { state: "missed", reason, endedAt: now });
  return {
    version: job.version,
    now,
    set: { plannedUntilAt: now, nextAt: times.next(now)?.at ?? null },
    add: [...spanOf(job, due, now), ...runs.map((run) => ({ ...run, ...lateSets.get(run.id) }))],
    change: late.map(({ id }) => ({ id, set: lateSets.get(id)! })),
    forgetAfter: null,
    staggerMs: options.staggerMs,
  };
}

/** The clock was set back: what was planned for times to come, and not begun, is planned again when they come. */
export function rewindJob(
  job: Job,
  { times, now, staggerMs }: Pick<PlanOptions, "times" | "now" | "staggerMs">,
): JobPlan {
  return {
    version: job.version,
    now,
    set: { plannedUntilAt: now, nextAt: job.paused ? null : (times.next(now)?.at ?? null) },
    add: [],
    change: [],
    forgetAfter: now,
    staggerMs,
  };
}

/** A pause ends: what was due meanwhile was not to run, and says so. */
export function resumeJob(
  job: Job,
  { times, now, staggerMs }: Pick<PlanOptions, "times" | "now" | "staggerMs">,
): JobPlan {
  const due = collectDue(times, { after: job.plannedUntilAt, until: now, most: mostRows });
  const pausedAt = job.paused?.at ?? now;
  const reason = `The job was paused${job.paused ? ` by ${job.paused.by}` : ""}.`;
  const passOver = (run: Run): Run =>
    run.dueAt > pausedAt
      ? { ...run, state: "skipped", reason, endedAt: now }
      : { ...run, state: "missed", reason: nobody, endedAt: now };
  return {
    version: job.version,
    now,
    set: {
      paused: null,
      plannedUntilAt: Math.max(now, job.plannedUntilAt),
      nextAt: times.next(Math.max(now, job.plannedUntilAt))?.at ?? null,
      countedFromAt: now,
    },
    add: [...spanOf(job, due, now).map(passOver), ...due.times.map((dueAt) => passOver(newRun(job, dueAt, now)))],
    change: [],
    forgetAfter: null,
    staggerMs,
  };
}

const nobody = "Nothing could run then.";

function spanOf(job: Job, { earlier }: DueTimes, now: number): Run[] {
  if (!earlier) return [];
  const { firstAt, untilAt, count } = earlier;
  // At no due time: any of them may have a row, of a time when the clock was ahead.
  const run: Run = { ...newRun(job, untilAt - 1, now), state: "missed", reason: nobody, endedAt: now };
  return [{ ...run, span: { fromAt: firstAt, count } }];
}

export function newRun(job: Job, dueAt: number, now: number): Run {
  return {
    id: createId("run", now),
    jobId: job.id,
    jobName: job.name,
    dueAt,
    trigger: "time",
    startAt: dueAt + delayOf(job),
    attempt: 1,
    state: "due",
    reason: null,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    owner: null,
    fence: 0,
    waitsFor: null,
    cancelReason: null,
    executionId: null,
    taskId: null,
    sessionId: null,
    summary: null,
    span: null,
  };
}

interface DueTimes {
  /** The latest ones, in order. */
  readonly times: readonly number[];
  /** Those before them, which are too many to be named one by one. */
  readonly earlier: { readonly firstAt: number; readonly untilAt: number; readonly count: number | null } | null;
}

/** Due times after one time and not after the other. How long that takes depends on `most`, not on how many there are. */
export function collectDue(
  times: Times,
  { after, until, most }: { readonly after: number; readonly until: number; readonly most: number },
): DueTimes {
  const first = walk(times, { after, until, most: most + 1 });
  if (first.length <= most) return { times: first, earlier: null };
  const latest = walk(times, { after: Math.max(after, times.beginOfLast(until, most)), until, most: Infinity });
  const [untilAt, firstAt] = [latest[0] ?? until + 1, first[0]!];
  if (untilAt <= firstAt) return { times: latest, earlier: null };
  return { times: latest, earlier: { firstAt, untilAt, count: times.count(after, untilAt - 1) ?? null } };
}

function walk(
  times: Times,
  { after, until, most }: { readonly after: number; readonly until: number; readonly most: number },
): number[] {
  const found: number[] = [];
  let due = times.next(after);
  while (due && due.at <= until && found.length < most) {
    found.push(due.at);
    due = times.next(due.at);
  }
  return found;
}

export interface LateRuns {
  /** In the order of their due times. */
  readonly late: readonly Run[];
  /** One of the job is due now and not late. */
  readonly isFollowed: boolean;
  readonly now: number;
}

export interface CatchUps {
  readonly catchUps: readonly Run[];
  readonly missed: readonly { readonly run: Run; readonly reason: string }[];
}

/** Which of the runs that nobody could start in time are made up for. */
function chooseCatchUps(job: Job, { late, isFollowed, now }: LateRuns): CatchUps {
  const { missed: rule } = job;
  const delayMs = delayOf(job);
  const young = late.filter(
    ({ dueAt }) => now - dueAt <= rule.windowMs && now - dueAt - delayMs <= (job.deadlineMs ?? Infinity),
  );
  const wanted = rule.mode === "none" ? 0 : rule.mode === "all" ? Math.min(rule.max, 10) : isFollowed ? 0 : 1;
  const catchUps = wanted === 0 ? [] : young.slice(-wanted);
  const reasonFor = (run: Run): string => {
    if (rule.mode === "none") return "Nothing could run then, and the job does not catch up.";
    if (!young.includes(run)) return "Nothing could run then, and it was too long ago to catch up.";
    return rule.mode === "last"
      ? "Nothing could run then; a later run takes its place."
      : `Nothing could run then; only the latest ${wanted} are caught up with.`;
  };
  return {
    catchUps,
    missed: late.filter((run) => !catchUps.includes(run)).map((run) => ({ run, reason: reasonFor(run) })),
  };
}
