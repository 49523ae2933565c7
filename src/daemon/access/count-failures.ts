import type { Clock } from "../../core/clock.ts";

export interface FailureCount {
  /** How long to wait before the next try; 0 when one may try now. */
  waitMs(): number;
  add(): void;
}

/** So many failures within the time, and everybody waits until that time is over. One number for all: they all come from this machine. */
export function countFailures(most: number, withinMs: number, clock: Clock): FailureCount {
  let begunAt = -Infinity;
  let failures = 0;
  const left = (): number => begunAt + withinMs - clock.monotonic();
  return {
    waitMs: () => (failures >= most ? Math.max(0, left()) : 0),
    add() {
      if (left() <= 0) {
        begunAt = clock.monotonic();
        failures = 0;
      }
      failures += 1;
    },
  };
}
