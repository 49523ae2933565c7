import type { Clock } from "../../../core/clock.ts";

/** How fast the demo goes. */
export interface Pace {
  /** Between two pieces of what the model says; null: it says each part at once. */
  readonly pieceMs: number | null;
  /** Between two characters that somebody types. */
  readonly typeMs: number;
  /** To read what was shown. */
  readonly pauseMs: number;
}

export const forReaders: Pace = { pieceMs: 45, typeMs: 22, pauseMs: 2500 };
/** Nobody watches, or nobody wants to wait. */
export const withoutPauses: Pace = { pieceMs: null, typeMs: 0, pauseMs: 0 };

/** Ends early when the signal fires. */
export function pauseFor(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stop = clock.after(delayMs, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
