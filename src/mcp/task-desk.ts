import type { TaskDesk as Desk } from "../core/task-desk.ts";

/** All that this room needs of background tasks. Whoever opens the door fills it. */
export interface TaskDesk extends Desk {
  agents(): Promise<readonly AgentInfo[]>;
  /** How long a task is kept after it has ended. */
  readonly ttlMs: number;
}

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
