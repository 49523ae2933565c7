import type { ProcessIdentity } from "./process-identity.ts";
import type { TaskOrder } from "./task.ts";

/** Work that is done again and again, or once, at times that are known beforehand. */
export interface Job {
  /** `job_…` */
  readonly id: string;
  /** Unique among the jobs that are kept. */
  readonly name: string;
  readonly work: JobWork;
  readonly when: JobTimes;
  readonly overlap: JobOverlap;
  readonly missed: MissedRule;
  /** A run starts up to so much after its time: how much is derived from the id, so it is the same each time. */
  readonly jitterMs: number;
  /** A run that can't start so soon after it was to start is `missed`; null: however late. */
  readonly deadlineMs: number | null;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  /** How often a run that failed is tried again. */
  readonly retries: number;
  /** So many failed runs in a row pause the job; 0: none do. */
  readonly pauseAfterFailures: number;
  /** Twice is the same as once: a run that is lost may be started again. */
  readonly isIdempotent: boolean;
  readonly paused: JobPause | null;
  readonly grant: JobGrant;
  readonly createdAt: number;
  /** Each due time up to here has its row. */
  readonly plannedUntilAt: number;
  /** The next due time after that; null when there is none, or the job is paused. */
  readonly nextAt: number | null;
  /** Runs that ended before this do not count towards `pauseAfterFailures`. */
  readonly countedFromAt: number;
  /** One more with each change: who changes names the one it has seen. */
  readonly version: number;
}

export type JobWork =
  | {
      readonly kind: "tool";
      readonly toolName: string;
      /** Null: whatever the catalog has under that name. */
      readonly toolRef: ToolFileRef | null;
      readonly input: unknown;
    }
  | { readonly kind: "prompt"; readonly prompt: string; readonly model: string | null }
  /** The key of the task is derived from the run. */
  | { readonly kind: "agent"; readonly order: Omit<TaskOrder, "idempotencyKey" | "isIdempotent"> }
  | { readonly kind: "improve"; readonly toolName: string };

/** A tool by its file: the job goes on with it, whatever else takes its name. */
export interface ToolFileRef {
  readonly kind: "custom_file";
  readonly file: string;
  readonly toolName: string;
  readonly entrypoint: "run";
}

/** Cron in a time zone of IANA's; every so many milliseconds, counted from `anchorAt`; or once. */
export type JobTimes =
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everyMs: number; readonly anchorAt: number }
  | { readonly at: number; readonly asked?: AskedTime };

/** The one time as somebody wrote it: clocks may skip that, or show it twice. */
export interface AskedTime {
  readonly text: string;
  readonly timeZone: string;
}

/**
 * What becomes of a run that is due while an earlier one of its job is under way.
 * - `skip`: it is skipped
 * - `queue_one`: it waits; while one waits, later ones are skipped
 * - `cancel_old`: the earlier one is cancelled, and it starts when that has ended
 * - `allow`: it starts
 */
export type JobOverlap = (typeof jobOverlaps)[number];
export const jobOverlaps = ["skip", "queue_one", "cancel_old", "allow"] as const;

/** What becomes of due times at which nothing could run: the latest `max` that are younger than the window are made up for. */
export interface MissedRule {
  readonly mode: "last" | "none" | "all";
  /** Of `all`: at most so many, and never more than 10. */
  readonly max: number;
  readonly windowMs: number;
}

export interface JobPause {
  /** A person's name, or `schedule`. */
  readonly by: string;
  readonly reason: string | null;
  readonly at: number;
}

/** What its calls may do without asking, and what not at all, as permission rules. Danger asks all the same. */
export interface JobGrant {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/**
 * - `due`: it starts at `startAt`, or as soon as what it waits for has ended
 * - `claimed`: an owner has it; nothing was done yet, so if the owner dies it is `due` again
 * - `running`: its work was begun, or is just about to be
 * - `succeeded`, `failed`, `timed_out`, `cancelled`: the work ended so
 * - `skipped`: not started, because of another run, a pause or safe mode
 * - `missed`: nobody could start it in time
 * - `lost`: its owner died, and nobody knows how the work ended
 *
 * A failed attempt that is tried again goes back to `due`. All but the first three are final.
 */
export type RunState = (typeof runStates)[number];
const runStates = [
  "due",
  "claimed",
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "skipped",
  "missed",
  "cancelled",
  "lost",
] as const;
export type FinalRunState = Exclude<RunState, "due" | "claimed" | "running">;

/** One due time of a job: there is at most one of them for each. Written before anything is done. */
export interface Run {
  /** `run_…` */
  readonly id: string;
  readonly jobId: string;
  readonly jobName: string;
  readonly dueAt: number;
  /** `catch_up`: it was missed at first. `person`: somebody wanted it now. */
  readonly trigger: RunTrigger;
  /** Not before this. */
  readonly startAt: number;
  readonly attempt: number;
  readonly state: RunState;
  /** Why it is in this state, in one sentence; null when there is nothing to say. */
  readonly reason: string | null;
  readonly createdAt: number;
  /** Of the latest attempt. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly owner: ProcessIdentity | null;
  /** One more with each claim: what an owner writes that has lost its claim is refused. */
  readonly fence: number;
  /** The run that is in its way. */
  readonly waitsFor: string | null;
  /** Somebody wants it cancelled, and why. */
  readonly cancelReason: string | null;
  readonly executionId: string | null;
  readonly taskId: string | null;
  readonly sessionId: string | null;
  /** What came of it, cut short. */
  readonly summary: string | null;
  /** It stands for many due times, from this one up to `dueAt`, which is none of them; null: for the one. */
  readonly span: RunSpan | null;
}

export type RunTrigger = "time" | "catch_up" | "person";

export interface RunSpan {
  readonly fromAt: number;
  /** How many they are; null: nobody counted. */
  readonly count: number | null;
}

export function isFinalRun(state: RunState): state is FinalRunState {
  return state !== "due" && state !== "claimed" && state !== "running";
}
