import type { Clock } from "../../core/clock.ts";

/** One timer for all commands that are watched. */
export interface Ticker {
  /** Calls `tick` again and again; it returns after how many milliseconds it wants the next turn. */
  add(tick: () => number): () => void;
}

export function createTicker(clock: Clock): Ticker {
  const watched = new Map<() => number, number>();
  let cancelTimer: (() => void) | undefined;

  function arm(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (watched.size === 0) return;
    const due = Math.min(...watched.values());
    cancelTimer = clock.after(Math.max(1, due - clock.monotonic()), turn);
  }

  function turn(): void {
    cancelTimer = undefined;
    const now = clock.monotonic();
    for (const [tick, due] of watched) {
      if (due > now) continue;
      const delayMs = tick();
      if (watched.has(tick)) watched.set(tick, clock.monotonic() + delayMs);
    }
    arm();
  }

  return {
    add(tick) {
      watched.set(tick, clock.monotonic() + firstDelayMs);
      arm();
      return () => {
        if (watched.delete(tick)) arm();
      };
    },
  };
}

const firstDelayMs = 10;
