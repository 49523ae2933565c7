import type { Task, TaskDoor, TaskOrder, TaskQuery } from "./task.ts";

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
