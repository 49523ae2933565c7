import type { AgentInfo as DeskAgent } from "../../core/task.ts";
import type { TaskManager } from "./task-manager.ts";

/** Background agents of this workdir. */
export interface Tasks extends Omit<TaskManager, "adopt" | "close"> {
  agents(): Promise<readonly AgentInfo[]>;
  /** How long a task is kept after it has ended. */
  readonly ttlMs: number;
  /** False: they are kept in memory only, and end with this process. */
  readonly isDurable: boolean;
  /** False: workers run them, wherever those are. */
  readonly runsHere: boolean;
}

export interface AgentInfo extends DeskAgent {
  /** What it prints is text for a person, not events for a program. */
  readonly printsText: boolean;
}
