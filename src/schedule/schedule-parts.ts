import type { Clock } from "../core/clock.ts";
import type { Emit } from "../core/events.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { Run, ScheduleStore } from "../core/job.ts";
import type { JobRunner } from "./jobs/job-runner.ts";

/** What a scheduler is made of. */
export interface ScheduleParts {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  readonly runner: JobRunner;
  /** This process. No two schedulers of one store share it. */
  readonly owner: ProcessIdentity;
  /** False only when that process has certainly ended. */
  readonly isAlive: (owner: ProcessIdentity) => boolean | Promise<boolean>;
  readonly emit: Emit;
  readonly settings: ScheduleSettings;
}

export interface ScheduleSettings {
  /** How often it looks whether others changed something, and whether the clock jumped. */
  readonly pollMs: number;
  /** How often it looks for runs whose owner is gone. */
  readonly recoverMs: number;
  /** A start that is later than this, as nobody was there, is late: the rule for missed runs decides. */
  readonly graceMs: number;
  /** At most one run that catches up starts in so much time. */
  readonly staggerMs: number;
  /** Between two tries of one run; twice as much each time, up to the second. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
  /** A job that is due once, and can't be done as things are now (safe mode), is looked at again after this. */
  readonly putOffMs: number;
  /** So many runs are under way at once here; others wait. */
  readonly maxRunning: number;
  /** How long work may take to end after it was told to. */
  readonly stopMs: number;
  /** The same when this process closes: shorter than whoever stops it waits, so that how the work ended is recorded by then. */
  readonly closeMs: number;
}

export const defaultSettings: ScheduleSettings = {
  pollMs: 1000,
  recoverMs: 15_000,
  graceMs: 60_000,
  staggerMs: 5000,
  retryMs: 30_000,
  longestRetryMs: 900_000,
  putOffMs: 30_000,
  maxRunning: 32,
  stopMs: 60_000,
  closeMs: 10_000,
};

/** Tells that a run ended, or never began. */
export function tellSettled({ emit }: Pick<ScheduleParts, "emit">, run: Run): void {
  const { id, jobId, jobName, dueAt, state, reason } = run;
  if (state === "due" || state === "claimed" || state === "running") return;
  emit("run:settled", { id, jobId, jobName, dueAt, state, reason });
}
