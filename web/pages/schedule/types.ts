import type { Job as CoreJob, Run as CoreRun } from "../../../src/core/job.ts";
import type { Wire } from "../../../src/core/wire.ts";

export type Job = Wire<CoreJob>;
export type Run = Wire<CoreRun>;
export type RunState = Run["state"];

export type JobItem = Job & {
  readonly last_run: Run | null;
  /** How many of its runs were missed or skipped since it last succeeded. */
  readonly passed_over: number;
};

/** A time to come, as a person reads it in the job's zone. */
export interface DueTime {
  readonly at: string;
  readonly local: string;
  /** What is odd about it, such as clocks that are set back; null when nothing is. */
  readonly note: string | null;
}

export type JobDetail = Job & {
  readonly next: readonly DueTime[];
  /** Latest first. */
  readonly runs: readonly Run[];
  /** Whether somebody starts what is due. */
  readonly served: "yes" | "no" | "unknown";
};
