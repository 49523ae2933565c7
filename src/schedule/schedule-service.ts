import type { Job, Run, RunQuery } from "../core/job.ts";
import type { JobDecision } from "./jobs/change-jobs.ts";
import type { PreviewedTime } from "./times/preview-times.ts";
import type { WrittenTimes } from "./jobs/create-job.ts";

export type { PreviewedTime } from "./times/preview-times.ts";
export type { JobDecision } from "./jobs/change-jobs.ts";
export type { WrittenJob, WrittenTimes } from "./jobs/create-job.ts";

/** Jobs of this workdir, and when they run. */
export interface Schedule {
  /** As a person or a program writes it. Throws JOB_INVALID. `isDryRun`: it is checked and not kept. */
  add(written: unknown, order: JobAddition): Promise<Job>;
  /** By name or id, also by enough of the id's beginning or end; throws JOB_UNKNOWN. */
  find(idOrName: string): Promise<Job>;
  /** By name, each with its latest run. One whose process is gone is shown as `lost`, though nobody has settled it yet; `runs` does the same. */
  list(): Promise<JobView[]>;
  /** Without looking at any run. */
  count(): Promise<{ readonly jobs: number; readonly paused: number }>;
  /** False: it was paused already. */
  pause(idOrName: string, order: JobDecision): Promise<boolean>;
  /** False: it was not paused. What was due meanwhile is skipped. */
  resume(idOrName: string, order: JobDecision): Promise<boolean>;
  remove(idOrName: string, order: JobDecision): Promise<Job>;
  /** A run that is due now; whichever scheduler there is starts it. */
  runNow(idOrName: string, order: JobDecision): Promise<Run>;
  /** The same, but done here and now, to its end; the signal cancels it. Nobody needs to serve the schedule for that. */
  carryOut(idOrName: string, order: JobDecision & { readonly signal: AbortSignal }): Promise<Run>;
  /** Latest due time first. */
  runs(query: RunQuery): Promise<Run[]>;
  getRun(id: string): Promise<Run | undefined>;
  /** True: it was not over yet. */
  cancelRun(id: string, reason: string): Promise<boolean>;
  /** The times to come of a job, none while it is paused. */
  next(job: Job, count: number): Promise<PreviewedTime[]>;
  /** The same for times that nobody has added yet. Throws JOB_INVALID. */
  preview(written: WrittenTimes, count: number): Promise<PreviewedTime[]>;
  /** In which times are shown that have no zone of their own. */
  readonly timeZone: string;
  /** Whether somebody starts what is due: `no` means that nothing will. `unknown`: another machine may. */
  isServed(): Promise<"yes" | "no" | "unknown">;
  /** False: jobs are kept in memory only, and end with this process. */
  readonly isDurable: boolean;
  /** From now on what is due is started here, until the runtime is closed. Settles when what is due now has been. */
  start(): Promise<void>;
}

export interface JobAddition {
  readonly by: string;
  readonly isDryRun?: boolean;
}

export interface JobView {
  readonly job: Job;
  readonly lastRun: Run | null;
  /** How many of its due times were missed or skipped since it last succeeded; many that nobody counted are one. */
  readonly passedOver: number;
}
