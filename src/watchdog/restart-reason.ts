import type { Clock } from "../core/clock.ts";
import { RuntimeError } from "../core/errors.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

/** Calls back when it happens, at once when it did already. Returns what forgets the caller. */
export type WhenItHappens = (listener: () => void) => () => void;

/**
 * Something that happens once, and that may be waited for again and again until then. A promise would keep every one who
 * ever waited, and a watchdog waits twice a second for years.
 */
export interface Occasion {
  happen(): void;
  readonly when: WhenItHappens;
}

export function createOccasion(): Occasion {
  const listeners = new Set<() => void>();
  let hasHappened = false;
  return {
    happen() {
      hasHappened = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
    when(listener) {
      if (hasHappened) listener();
      else listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Resolves after that long, or as soon as one of these happens. Nothing is left behind. */
export function waitFor(clock: Clock, delayMs: number, occasions: readonly WhenItHappens[]): Promise<void> {
  return new Promise((resolve) => {
    const forget: (() => void)[] = [];
    const wake = (): void => {
      for (const each of forget.splice(0)) each();
      resolve();
    };
    forget.push(clock.after(delayMs, wake));
    for (const when of occasions) forget.push(when(wake));
  });
}

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
