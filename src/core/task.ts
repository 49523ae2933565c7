import type { ProcessIdentity } from "./process-identity.ts";
import type { SharedTasks } from "./shared-tasks.ts";

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
