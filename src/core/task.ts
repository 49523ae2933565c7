import type { ProcessIdentity } from "./process.ts";

/**
 * A job that an agent in a process of its own does in the background.
 * - `queued`: its agent has as many as it may; it waits for its turn
 * - `running`: its process was started, or is just about to be
 * - `completed`: the agent said that it succeeded
 * - `failed`: it said that it did not, or ended without saying so
 * - `cancelled`, `timeout`: it was stopped, and that is proven as far as `stopProof` says
 * - `lost`: nobody knows how it ended: its process is gone and left no word
 *
 * The last five are final: one of them is entered exactly once. Only a lost one that was not started again may get its true end later,
 * from the machine that ran it; then it is marked as late.
 */
export type TaskState = (typeof taskStates)[number];
export const taskStates = ["queued", "running", "completed", "failed", "cancelled", "timeout", "lost"] as const;
export type FinalTaskState = Exclude<TaskState, "queued" | "running">;

/** What was asked for. */
export interface TaskOrder {
  /** Which agent: `claude`, `codex`, or a name from the settings. */
  readonly agent: string;
  readonly message: string;
  readonly systemPrompt: string | null;
  readonly model: string | null;
  /** From the workdir of whoever runs it, which is meant when there is none; absolute where this machine runs its own. */
  readonly cwd: string | null;
  /** Further arguments for the CLI, each one as it is. */
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** The CLI's own session, to go on with. */
  readonly resume: string | null;
  /** Two orders with one key are one task, for as long as the first is kept. */
  readonly idempotencyKey: string | null;
  /** Twice is the same as once: a lost one may be started again. */
  readonly isIdempotent: boolean;
  /** The task asks for the agent's own permission checks to be off; only where the settings allow that. */
  readonly bypassesPermissions: boolean;
}

export interface Task {
  /** `task_…` */
  readonly id: string;
  readonly order: TaskOrder;
  readonly state: TaskState;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** When it showed life last: a line of output. */
  readonly activeAt: number | null;
  /** The agent's answer; null before it is completed. */
  readonly result: string | null;
  /** One sentence; null unless it did not complete. */
  readonly error: string | null;
  /** The CLI's session, as soon as it is known: `resume` takes it. */
  readonly sessionId: string | null;
  /** The latest it told of itself, in one line. */
  readonly progress: string | null;
  /** What runs it; written before the process can do anything. */
  readonly process: TaskProcess | null;
  /** Whoever watches it; null when nobody does, or the last one has left it to whoever comes. */
  readonly owner: ProcessIdentity | null;
  readonly stopProof: string | null;
  /** Somebody wants it cancelled, and why. */
  readonly cancelReason: string | null;
  /** Where its output lies: `tasks/<id>`; absolute. */
  readonly folder: string;
  readonly door: TaskDoor;
  /** 1, and one more each time it was started again. */
  readonly attempt: number;
  /** True: it was called lost, and this is what its machine reported later. Only then is it there. */
  readonly isLate?: boolean;
}

export type TaskDoor = "cli" | "mcp" | "agent" | "daemon" | "schedule" | "library";

export interface TaskProcess extends ProcessIdentity {
  /** Of the shim that leads the session; the agent is below it. */
  readonly sessionPid: number;
}

/** Where tasks are kept. Each method is atomic; several processes may use one store at once. */
export interface TaskStore {
  /** Whether tasks are still there after a restart. */
  readonly isDurable: boolean;
  /** Only where several machines share it. */
  readonly shared?: SharedTasks;
  /** Inserts; when a task with the same idempotency key is kept, gives that one instead and inserts nothing. */
  add(task: Task): Promise<Task>;
  get(id: string): Promise<Task | undefined>;
  /** Newest first. */
  list(query: TaskQuery): Promise<Task[]>;
  count(query: Omit<TaskQuery, "limit" | "beforeId">): Promise<number>;
  /**
   * Changes what is there, if it is still as expected: in one of `from`, and owned by `owner` where that is given (null: by
   * nobody). Undefined: it was not, and nothing was changed. A final task is never changed again.
   */
  update(id: string, change: TaskChange): Promise<Task | undefined>;
  /**
   * The oldest queued task of this agent becomes running and this owner's, if fewer than `limit` of its tasks run now.
   * Undefined: none waits, or it is full.
   */
  takeNext(
    agent: string,
    order: { readonly limit: number; readonly owner: ProcessIdentity; readonly now: number },
  ): Promise<Task | undefined>;
  /** The agents that tasks wait for. */
  queuedAgents(): Promise<string[]>;
  /** True when it was not final; its owner finds the reason in the row. */
  requestCancel(id: string, reason: string): Promise<boolean>;
  /** Removes final tasks that were completed before the time; gives them, so that their folders can go. */
  prune(completedBefore: number): Promise<Task[]>;
  /** Changes whenever another process wrote. */
  revision(): number | Promise<number>;
  close(): Promise<void>;
}

export interface TaskQuery {
  readonly limit: number;
  readonly states?: readonly TaskState[];
  readonly agent?: string;
  readonly beforeId?: string;
}

export interface TaskChange {
  readonly from: readonly TaskState[];
  readonly owner?: ProcessIdentity | null;
  readonly set: Partial<Omit<Task, "id" | "order" | "createdAt" | "folder" | "door">>;
  /** How the order is kept from now on: at the end of a task, without its secrets. */
  readonly order?: TaskOrder;
}

export function isFinalTask(state: TaskState): state is FinalTaskState {
  return state !== "queued" && state !== "running";
}

/** One attempt of a task: its folder is `run-<attempt>`. */
export interface TaskRun {
  readonly id: string;
  readonly attempt: number;
}

/**
 * - `running`: it is this machine's
 * - `lost`: it was called so, and was not started again
 * - `over`: it has ended, was started again, or is another machine's
 */
export interface FoundRun extends TaskRun {
  readonly standing: "running" | "lost" | "over";
}

export interface WorkerAgents {
  readonly names: readonly string[];
  /** False: one of them does not tell, and may have others. */
  readonly isWhole: boolean;
}

/** What a store does besides, that several machines share. Who runs tasks there is a worker; everybody else orders and asks. */
export interface SharedTasks {
  /** Which store it is, as it may be shown: its address without a password. */
  readonly name: string;
  /** False: this process is no worker. It takes nothing, adopts nothing, and what it orders is not measured by this machine. */
  readonly runsHere: boolean;
  /** What runs on this machine, whoever watches it. Empty where this process is no worker. */
  listHere(): Promise<Task[]>;
  /** What the store says of these runs, which are on this machine. A task that is not kept is left out. */
  findRuns(runs: readonly TaskRun[]): Promise<FoundRun[]>;
  /** The true end of a run that was called lost. Undefined: it was started again since, or has its end. */
  amendLost(run: TaskRun, set: TaskChange["set"]): Promise<Task | undefined>;
  /**
   * Looks for workers that are silent, when that is due: what they watched is free for their machine to adopt, and lost when that
   * does not come back in time, or queued again if it may be. Gives those that are lost now; each is given once.
   */
  patrol(now: number): Promise<Task[]>;
  /**
   * Those of these tasks that are kept no longer. The store's own clock decides, and how long whoever ordered it wants it kept:
   * machines differ in both.
   */
  findExpired(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Removes all that are kept no longer; gives them, so that their folders can go. */
  pruneExpired(): Promise<Task[]>;
  /** What the workers that live have. */
  listAgents(): Promise<WorkerAgents>;
  /** One sentence when workers live, and none of them has this agent: a task for it would wait for ever. */
  explainLack(agent: string): Promise<string | undefined>;
  /** Of these tasks, by id, what those wait for that no worker that lives can take. */
  explainWaits(tasks: readonly Task[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Asks the machine that ran it for what it printed. Undefined when there is none to ask: it has not begun, or this is it. Rejects
   * when that machine does not answer.
   */
  readElsewhere(id: string, range: unknown): Promise<unknown>;
  /** Answers who asks this machine. */
  answerReaders(read: (id: string, range: unknown) => Promise<unknown>): Promise<void>;
}

/** What `get_task_status` answers: four shapes, and never another one. */
export type TaskStatus =
  | { readonly status: "running"; readonly elapsed_time: number }
  | { readonly status: "completed"; readonly result: string }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "not_found"; readonly error: string };

/** `undefined`: there is no such task. A queued task is running; cancelled, timed out and lost ones failed, with their reason. */
export function statusOfTask(task: Task | undefined, now: number): TaskStatus {
  if (!task) return { status: "not_found", error: "Task ID not found or expired." };
  switch (task.state) {
    case "queued":
    case "running":
      return { status: "running", elapsed_time: Math.max(0, Math.floor((now - task.createdAt) / 1000)) };
    case "completed":
      return { status: "completed", result: task.result ?? "" };
    case "failed":
    case "cancelled":
    case "timeout":
    case "lost":
      return { status: "failed", error: task.error || unsaidErrors[task.state] };
  }
}

const unsaidErrors = {
  failed: "The agent failed, and nothing says why.",
  cancelled: "The task was cancelled.",
  timeout: "The task was stopped: its time was over.",
  lost: "Server restarted",
} as const;

/** All that whoever hands jobs to background agents needs of them. The runtime fills it. */
export interface TaskDesk {
  /** Resolves as soon as the order is kept. Rejects with TASK_INVALID and one sentence. */
  start(request: DeskRequest): Promise<Task>;
  /** Undefined when there is no such task, or its time is over. */
  get(id: string): Promise<Task | undefined>;
  /** Newest first. */
  list(query: TaskQuery): Promise<Task[]>;
  /** Rejects with TASK_UNKNOWN, as the next two do. */
  output(id: string, range: DeskRange): Promise<DeskOutput>;
  /** Resolves when the task has ended, or the time is over. */
  wait(id: string, timeoutMs: number): Promise<Task>;
  /** Resolves when it has ended, or when that takes too long. */
  cancel(id: string, reason: string): Promise<Task>;
  agents(): Promise<readonly AgentInfo[]>;
}

/** Somebody who can be given a job. */
export interface AgentInfo {
  readonly name: string;
  readonly title: string;
  readonly isInstalled: boolean;
  /** How to get it. */
  readonly install: string;
  readonly canResume: boolean;
  /** How many of its tasks run at once. */
  readonly limit: number;
}

export interface DeskRequest extends Partial<Omit<TaskOrder, "agent" | "message">> {
  readonly agent: string;
  readonly message: string;
  readonly door: TaskDoor;
  /** A person approved this very order, with its folder. Otherwise the door decides. */
  readonly mayLeaveWorkspace?: boolean;
}

export interface DeskRange {
  /** In bytes; a negative one counts from the end. */
  readonly from?: number;
  readonly limit?: number;
  /** Of a longer answer only its beginning and its end. */
  readonly answerCharacters?: number;
}

export interface DeskOutput {
  /** What it printed, without secrets. */
  readonly text: string;
  readonly from: number;
  /** Where to go on reading. */
  readonly next: number;
  readonly totalBytes: number;
  /** The end of what it printed as errors. */
  readonly errorText: string;
  /** Its answer as far as it has come. */
  readonly answer: string;
}

/** Who lives, where several machines share a store: nobody can look at a process of another one. */
export interface SharedOwners {
  /** False only when that process has ended, or nothing was heard of it for too long. Rejects when that can't be found out now. */
  isAlive(owner: ProcessIdentity): Promise<boolean>;
}
