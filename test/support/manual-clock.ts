import type { Clock } from "../../src/core/clock.ts";

/** Time that only moves when the test says so. */
export interface ManualClock extends Clock {
  /** Moves on, and calls back what falls due on the way, in order. */
  advance(byMs: number): void;
  /** How many callbacks still wait. */
  readonly waiting: number;
}

export function createManualClock(startAt = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let order = 0;
  const timers = new Set<{ readonly due: number; readonly order: number; readonly callback: () => void }>();

  return {
    now: () => startAt + elapsed,
    monotonic: () => elapsed,
    after(delayMs, callback) {
      const timer = { due: elapsed + Math.max(0, delayMs), order: order++, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(byMs) {
      const until = elapsed + byMs;
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due || a.order - b.order);
        if (!next) break;
        timers.delete(next);
        elapsed = Math.max(elapsed, next.due);
        next.callback();
      }
      elapsed = until;
    },
    get waiting() {
      return timers.size;
    },
  };
}
