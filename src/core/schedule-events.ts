import type { FinalRunState, RunTrigger } from "./job.ts";

/** What the schedule tells. */
export interface ScheduleEvents {
  "job:changed": {
    readonly id: string;
    readonly name: string;
    readonly change: "added" | "paused" | "resumed" | "removed";
    readonly by: string;
    readonly reason: string | null;
  };
  /** One attempt began; `run:retried` or `run:settled` follows, in this process or in the one that finds it. */
  "run:started": {
    readonly id: string;
    readonly jobId: string;
    readonly jobName: string;
    readonly dueAt: number;
    readonly trigger: RunTrigger;
    readonly attempt: number;
  };
  /** An attempt ended and the run will be tried again. */
  "run:retried": {
    readonly id: string;
    readonly jobId: string;
    readonly attempt: number;
    readonly startAt: number;
    readonly reason: string;
  };
  /** Once for each run, also for one that never started. */
  "run:settled": {
    readonly id: string;
    readonly jobId: string;
    readonly jobName: string;
    readonly dueAt: number;
    readonly state: FinalRunState;
    readonly reason: string | null;
  };
  /** The wall clock and the time that passed differ: it was set, or the machine slept. */
  "clock:jumped": { readonly byMs: number };
  /** Something of the schedule could not be done now and is tried again. */
  "schedule:failed": { readonly jobId: string | null; readonly error: string };
}
