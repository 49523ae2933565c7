import { cutMiddle } from "../core/cut-text.ts";
import type { RunChange } from "../core/schedule-store.ts";
import { isFinalRun, type Run } from "../core/job.ts";

const longestReason = 10_000;

/** Undefined: it is not as expected, and stays as it is. */
export function changeRun(run: Run, { from, fence, set }: RunChange): Run | undefined {
  const isExpected = !isFinalRun(run.state) && from.includes(run.state) && (fence === undefined || fence === run.fence);
  return isExpected ? { ...run, ...set } : undefined;
}

/** A due one ends at once; whoever has one of the others finds the reason. Undefined: it is final. */
export function cancelRun(run: Run, order: { readonly reason: string; readonly at: number }): Run | undefined {
  if (isFinalRun(run.state)) return undefined;
  const reason = cutMiddle(order.reason, longestReason);
  if (run.state === "due") return { ...run, state: "cancelled", reason, endedAt: order.at };
  return { ...run, cancelReason: run.cancelReason ?? reason };
}

/** Gives each run that catches up a start of its own, behind those that there are. */
export function createStagger(
  latestStart: number | undefined,
  options: { readonly now: number; readonly staggerMs: number },
): (run: Run) => Run {
  let next = Math.max(options.now, (latestStart ?? -Infinity) + options.staggerMs);
  return (run) => {
    if (run.trigger !== "catch_up" || run.state !== "due") return run;
    const startAt = next;
    next += options.staggerMs;
    return { ...run, startAt };
  };
}
