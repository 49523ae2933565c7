import type { Beat } from "./heartbeat.ts";
import type { WatchdogSettings } from "../watchdog-settings.ts";

/**
 * What the beats say about a child, in time that the watchdog was awake itself: a suspended machine, or a watchdog that
 * was held, makes nobody look dead.
 *
 * - `starting`: it has not beaten yet, and still may take its time; or its beats say that it starts, and may take any time
 * - `healthy`: it beats, or it never did and need not
 * - `silent`: the last beat is older than it should be, but not old enough
 * - `hung`: it is
 */
export interface Pulse {
  readonly state: PulseState;
  readonly hasBeaten: boolean;
  /** Healthy in one piece until now. */
  readonly healthyMs: number;
  readonly silentMs: number;
  /** Once it was healthy for as long as it takes to be trusted. */
  readonly wasStable: boolean;
  /** A look at the file after `awakeMs` more. `beat` is null while there is none. */
  look(beat: Pick<Beat, "mark" | "isStarting"> | null, awakeMs: number): void;
  /** Time was lost for everybody: the child gets the whole time again. */
  forgive(): void;
}

export type PulseState = "starting" | "healthy" | "silent" | "hung";

type PulseSettings = Pick<WatchdogSettings, "heartbeat" | "hangMs" | "startupMs" | "stableMs">;

export function createPulse({ heartbeat, hangMs, startupMs, stableMs }: PulseSettings): Pulse {
  let last: string | null = null;
  let lastStarting: string | null = null;
  let silentMs = 0;
  let healthyMs = 0;
  let wasStable = false;

  function judge(): PulseState {
    if (heartbeat === "off") return "healthy";
    if (last === null) {
      if (heartbeat === "auto" && lastStarting === null) return "healthy";
      return silentMs >= startupMs ? "hung" : "starting";
    }
    if (silentMs >= hangMs) return "hung";
    return silentMs > hangMs / 2 ? "silent" : "healthy";
  }

  return {
    get state() {
      return judge();
    },
    get hasBeaten() {
      return last !== null;
    },
    get healthyMs() {
      return healthyMs;
    },
    get silentMs() {
      return silentMs;
    },
    get wasStable() {
      return wasStable;
    },
    look(beat, awakeMs) {
      const isNew = beat !== null && beat.mark !== (beat.isStarting ? lastStarting : last);
      silentMs = isNew ? 0 : silentMs + awakeMs;
      if (isNew && beat.isStarting) lastStarting = beat.mark;
      else if (isNew) last = beat.mark;
      healthyMs = judge() === "healthy" ? healthyMs + awakeMs : 0;
      wasStable ||= healthyMs >= stableMs;
    },
    forgive() {
      silentMs = 0;
    },
  };
}
