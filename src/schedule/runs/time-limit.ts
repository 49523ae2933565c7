import type { Clock } from "../../core/clock.ts";

export interface TimeLimit {
  /** Until what it returns is called, no time passes; as often as it is called, so often must that be. */
  readonly standStill: () => () => void;
  readonly end: () => void;
}

/** Calls back when so much time has passed while it did not stand still. */
export function startLimit(clock: Clock, limitMs: number, onOver: () => void): TimeLimit {
  let restMs = limitMs;
  let stillFor = 0;
  let isEnded = false;
  let begunAt = clock.monotonic();
  let cancel = clock.after(restMs, look);

  /** A timer may come too soon: none is longer than 24.8 days. */
  function look(): void {
    const leftMs = Math.ceil(restMs - (clock.monotonic() - begunAt));
    if (leftMs <= 0) onOver();
    else cancel = clock.after(leftMs, look);
  }

  function goOn(): void {
    stillFor -= 1;
    if (stillFor > 0 || isEnded) return;
    begunAt = clock.monotonic();
    cancel = clock.after(restMs, look);
  }

  return {
    standStill() {
      if (stillFor === 0) {
        cancel();
        restMs = Math.max(0, restMs - (clock.monotonic() - begunAt));
      }
      stillFor += 1;
      let isOver = false;
      return () => {
        if (!isOver) goOn();
        isOver = true;
      };
    },
    end() {
      isEnded = true;
      cancel();
    },
  };
}
