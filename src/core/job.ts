import type { Clock } from "./clock.ts";
import type { ProcessIdentity } from "./process.ts";
import type { SharedOwners, TaskOrder } from "./task.ts";

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

/** Where the jobs and runs of one project are kept. Each method is atomic; several processes may use one store at once. */
export interface ScheduleStore {
  /** Whether jobs are still there after a restart. */
  readonly isDurable: boolean;
  /** Only where several machines share it. */
  readonly shared?: SharedSchedule;
  /** False: there is a job of that name. */
  addJob(job: Job): Promise<boolean>;
  getJob(id: string): Promise<Job | undefined>;
  /** By name. `dueBy`: only those whose next time has come by then. */
  listJobs(query?: { readonly dueBy?: number }): Promise<Job[]>;
  /** Changes the job if it still has this version; undefined: it has not, or is gone. */
  changeJob(id: string, version: number, set: JobChange): Promise<Job | undefined>;
  /** Its runs that are due are cancelled, those under way are asked to end; rows of the past stay. False: there was none. */
  removeJob(id: string, order: { readonly reason: string; readonly at: number }): Promise<boolean>;
  /** Carries out a plan as a whole. Undefined: the job has another version by now, and nothing was done. */
  plan(jobId: string, plan: JobPlan): Promise<PlannedRuns | undefined>;

  /** False: its due time has a row. */
  addRun(run: Run): Promise<boolean>;
  getRun(id: string): Promise<Run | undefined>;
  /** Latest due time first. */
  listRuns(query: RunQuery): Promise<Run[]>;
  /** Runs that are `due` and may start by then, earliest start first. */
  listDue(query: { readonly startBy: number; readonly limit: number; readonly after?: DueCursor }): Promise<Run[]>;
  /** When the next thing is to be done, of what is later than `now`: a job's next time or a run's start. */
  nextTime(now: number): Promise<number | undefined>;
  /**
   * A run that is due becomes this owner's, with a fence of one more. `alone`: not while another run of its job is claimed or
   * running; then that one is given. Undefined: it is not due any more.
   */
  claim(id: string, order: ClaimOrder): Promise<Claim | undefined>;
  /** Changes what is not final, if it is still as expected. Undefined: it was not, and nothing was changed. */
  changeRun(id: string, change: RunChange): Promise<Run | undefined>;
  /** True when it was not final; a due one is cancelled at once, of any other the owner finds the reason in the row. */
  requestCancel(id: string, order: { readonly reason: string; readonly at: number }): Promise<boolean>;
  /** How many `prune` would remove. */
  countPrunable(endedBefore: number): Promise<number>;
  /** Removes final runs that ended before the time; gives how many. The latest of each job stays. */
  prune(endedBefore: number): Promise<number>;
  /** When a scheduler was last there; undefined: none ever was. */
  servedAt(): Promise<number | undefined>;
  /** One is there. Nobody needs to look for that, so the revision may stay. */
  noteServed(at: number): Promise<void>;
  /** Changes whenever another process wrote. */
  revision(): number | Promise<number>;
}

export interface SharedSchedule extends SharedOwners {
  /** The time by which all machines decide what is due: that of one of them may be days off. */
  readonly clock: Clock;
}

export type JobChange = Partial<Pick<Job, "paused" | "plannedUntilAt" | "nextAt" | "countedFromAt">>;

/** What planning found, for one job. */
export interface JobPlan {
  readonly version: number;
  readonly now: number;
  readonly set: JobChange;
  /** Those whose due time has a row already are left out. */
  readonly add: readonly Run[];
  /** Only of those that are still `due`. */
  readonly change: readonly { readonly id: string; readonly set: RunSet }[];
  /** Rows `missed` and `skipped` of a later due time go, nothing was done for it: the clock was set back. */
  readonly forgetAfter: number | null;
  /** Of all runs that catch up, in the whole store, one starts so much after the other. */
  readonly staggerMs: number;
}

/** As they are now. */
export interface PlannedRuns {
  readonly job: Job;
  readonly runs: readonly Run[];
}

export type RunSet = Partial<Omit<Run, "id" | "jobId" | "jobName" | "dueAt" | "createdAt">>;

export interface RunChange {
  readonly from: readonly RunState[];
  /** Only if it still has this fence. */
  readonly fence?: number;
  readonly set: RunSet;
}

export interface ClaimOrder {
  readonly owner: ProcessIdentity;
  readonly alone: boolean;
}

export type Claim = { readonly claimed: Run } | { readonly inTheWay: Run };

export interface RunQuery {
  readonly limit: number;
  readonly jobId?: string;
  readonly states?: readonly RunState[];
  /** Only those behind this one in the order. */
  readonly before?: Pick<Run, "dueAt" | "id">;
}

export type DueCursor = Pick<Run, "startAt" | "id">;
