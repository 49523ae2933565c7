import type { Execution } from "../../../core/call.ts";
import type { AgentEvent } from "../../../core/events.ts";

/** One prompt of the guided session. */
export interface Scene {
  readonly name: SceneName;
  readonly title: string;
  /** What to look at, and what it shows. */
  readonly caption: string;
  /** More for those who answer themselves. */
  readonly invitation?: string;
  readonly prompt: string;
  /** What the model says, in the format of `docs/scripted-models.md`. */
  readonly turns: (told: Told) => readonly unknown[];
  /** The command that runs is to be stopped. */
  readonly isStopped?: boolean;
  /** What came of it, from what was recorded. */
  readonly observe: (taken: Taken) => Promise<Observation> | Observation;
}

export type SceneName = "reads" | "question" | "edit" | "danger" | "cancel" | "evidence";

/** What a script may depend on. */
export interface Told {
  /** How the person wants prices to be rounded; null when they did not say. */
  readonly rounding: string | null;
}

/** What was recorded while a scene was played. */
export interface Taken {
  readonly events: readonly AgentEvent[];
  /** In the order of the calls. */
  readonly executions: readonly Execution[];
  readonly workdir: string;
  readonly told: Told;
}

export interface Observation {
  /** For the person. Those that end well come first. */
  readonly sentences: readonly string[];
  /** For programs. */
  readonly facts: Readonly<Record<string, unknown>>;
}
