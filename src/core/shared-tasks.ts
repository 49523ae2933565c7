import type { Task, TaskChange } from "./task.ts";

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
