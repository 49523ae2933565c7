import type { Clock } from "./clock.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { Job, Run, RunState } from "./job.ts";
import type { SharedOwners } from "./shared-owners.ts";

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
