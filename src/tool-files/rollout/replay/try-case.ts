import type { Clock } from "../../../core/clock.ts";
import { judgeRun, type CaseEnd, type CaseRunner, type ReplayCase } from "./replay-case.ts";

export interface ReplayLimit {
  readonly clock: Clock;
  /** For one case on one version. */
  readonly caseMs: number;
  /** After this no further case is begun; one that is under way gets its time, or a version that hangs would never be told. */
  readonly totalMs: number;
  /** Ends it: what is left counts as not tried. */
  readonly signal: AbortSignal;
}

/** Tries cases one after the other. */
export interface Trial {
  /** No further case is to be begun. */
  readonly isOver: boolean;
  /** Null when it was stopped: nothing can be said then. */
  tryCase(runner: CaseRunner, tried: ReplayCase): Promise<CaseEnd | null>;
}

export function beginTrial({ clock, caseMs, totalMs, signal }: ReplayLimit): Trial {
  const end = clock.monotonic() + totalMs;
  return {
    get isOver() {
      return signal.aborted || clock.monotonic() >= end;
    },
    async tryCase(runner, tried) {
      if (signal.aborted) return null;
      await runner.prepare(tried.input);
      const stop = new AbortController();
      const onAbort = (): void => stop.abort(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      let isLate = false;
      const cancel = clock.after(caseMs, () => {
        isLate = true;
        stop.abort(new Error("It took too long."));
      });
      try {
        const run = await runner.run(tried.input, stop.signal);
        if (signal.aborted) return null;
        return isLate ? { state: "timeout", afterMs: caseMs } : judgeRun(tried, run);
      } finally {
        cancel();
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}
