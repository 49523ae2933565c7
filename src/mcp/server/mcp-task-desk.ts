import type { TaskDesk as Desk } from "../../core/task.ts";

/** All that this room needs of background tasks. Whoever opens the door fills it. */
export interface TaskDesk extends Desk {
  /** How long a task is kept after it has ended. */
  readonly ttlMs: number;
}
