import { RuntimeError } from "../core/errors.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

export interface Handover {
  readonly settings: WatchdogSettings;
  /** Events as JSON lines on stdout instead of sentences on stderr. */
  readonly asJson: boolean;
  /** The child's. */
  readonly env: WatchdogEnvironment;
}

/** By the environment: a command line is seen by everybody on the machine. */
export const handoverVariable = "DECKHAND_WATCHDOG_HANDOVER";

export function readHandover(env: WatchdogEnvironment): Handover {
  const { [handoverVariable]: text, ...rest } = env;
  if (text === undefined) {
    throw new RuntimeError("CONFIG_INVALID", "This is a part of deckhand: start it with `deckhand watchdog`.");
  }
  return { ...(JSON.parse(text) as Omit<Handover, "env">), env: rest };
}
