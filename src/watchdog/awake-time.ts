import type { Clock } from "../core/clock.ts";

export interface AwakeTime {
  /** How long it was awake since the last time it was asked, and how much time passed without it. */
  take(): { readonly awakeMs: number; readonly lostMs: number };
}

/**
 * Tells waiting from being held. A tick that comes much too late means that this process did not run (SIGSTOP, a machine
 * without a free processor); a wall clock that ran ahead of the monotonic one means that the machine was suspended,
 * or that somebody set the clock, which here makes no difference.
 */
export function createAwakeTime(clock: Clock, tickMs: number): AwakeTime {
  const mostMs = 2 * tickMs;
  let monotonic = clock.monotonic();
  let wall = clock.now();
  return {
    take() {
      const passed = clock.monotonic() - monotonic;
      const jumped = clock.now() - wall - passed;
      monotonic += passed;
      wall += passed + jumped;
      const awakeMs = Math.min(passed, mostMs);
      return { awakeMs, lostMs: passed - awakeMs + Math.max(0, jumped) };
    },
  };
}
