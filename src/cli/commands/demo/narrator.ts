import type { AgentEvent, RuntimeEvent } from "../../../core/events.ts";
import type { Observation, Scene, SceneName } from "./scene.ts";

/** Tells what happens: on a screen, or as JSON lines. */
export interface Narrator {
  open(opening: Opening): void;
  begin(scene: Scene, place: Place): Promise<void>;
  agent(event: AgentEvent): void;
  runtime(event: RuntimeEvent): void;
  observed(name: SceneName | "log", observation: Observation): void;
  end(report: DemoReport): void;
}

export interface Opening {
  /** What holds the commands, as a sentence. */
  readonly sandbox: string;
}

export interface Place {
  readonly number: number;
  readonly count: number;
  readonly isInvited: boolean;
}

export interface DemoReport {
  /** The person left before the end. */
  readonly left: boolean;
  readonly calls: number;
  /** What came of each scene that was played, and of the log. */
  readonly scenes: Readonly<Partial<Record<SceneName | "log", Observation["facts"]>>>;
}
