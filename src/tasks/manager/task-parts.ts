import type { Clock } from "../../core/clock.ts";
import type { Emit } from "../../core/events.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { TaskDoor, TaskStore } from "../../core/task.ts";
import type { Detached } from "../../process/detached/detached.ts";
import type { AgentAdapter } from "../adapters/agent-adapter.ts";

export interface TaskLimits {
  /** How many tasks of one agent run at once, all processes together. */
  readonly perAgent: Readonly<Record<string, number>>;
  readonly usualPerAgent: number;
  /** For tasks that do not say how long they may take. */
  readonly timeoutMs: number;
  /** How long a task is kept after it has ended. */
  readonly ttlMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** An agent that prints more, on both streams together, is stopped and its output cut. */
  readonly maxOutputBytes: number;
  /** So long an agent that said it is done may take to leave. */
  readonly lingerMs: number;
}

export const usualTaskLimits: TaskLimits = {
  perAgent: {},
  usualPerAgent: 4,
  timeoutMs: 30 * 60_000,
  ttlMs: 60 * 60_000,
  graceMs: 5000,
  maxOutputBytes: 4 * 1024 ** 3,
  lingerMs: 5000,
};

export interface TaskManagerOptions {
  readonly store: TaskStore;
  readonly detached: Detached;
  /** The agents that there are, by name. */
  readonly adapters: ReadonlyMap<string, AgentAdapter>;
  readonly clock: Clock;
  /** Each task has a folder of its own in here; made when it is missing. */
  readonly folder: string;
  /** Where agents work when a task does not say it; absolute. */
  readonly workdir: string;
  readonly limits: TaskLimits;
  /** The person's environment; agents get what is on the list, and what their adapter names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** This process. */
  readonly owner: ProcessIdentity;
  /** False only when that very process has certainly ended. */
  readonly isAlive: (identity: ProcessIdentity) => boolean;
  /** Takes secrets out of what is kept and told. */
  readonly mask: (text: string) => string;
  /** The values that `mask` knows to be secret, for agents that mask them as well. */
  readonly knownSecrets: () => readonly string[];
  readonly emit: Emit;
  /** Whether this agent's own permission checks may be off, where a task asks for that. */
  readonly mayBypass: (agent: string) => boolean;
  /** Whether orders that come this way may name a folder outside the workspace, without an approval of that very order. */
  readonly mayLeaveWorkspace: (door: TaskDoor) => boolean;
  /** Why no agent may work in this folder (absolute, without links), as the end of a sentence; undefined when one may. */
  readonly whyNoWorkdir: (folder: string) => string | undefined;
  /** Something went wrong beside any call: the store can't be reached. It is tried again. */
  readonly onError: (thrown: unknown) => void;
}

/** How often what goes on is looked at. */
export const lookMs = 200;
