import { isFinalRun, type Run, type RunChange } from "../core/job.ts";
import { isThenable } from "../core/json.ts";
import type { RolloutTransaction } from "../core/stores.ts";
import { cutMiddle } from "../core/text.ts";

/** Of each tool; the oldest go. */
export const mostEvents = 5000;
/** Different failures of each tool; those that were not seen for the longest time go. */
export const mostSignatures = 200;

/** How many rows to give: any number, as SQLite and `slice` both understand it. */
export function wholeLimit(limit: number): number {
  return Number.isNaN(limit) ? 0 : Math.min(Math.max(0, Math.floor(limit)), Number.MAX_SAFE_INTEGER);
}

/** Throws for work that goes on after its transaction: what it writes then would be no part of it. */
export function runAtOnce<Result>(
  work: (transaction: RolloutTransaction) => Result,
  transaction: RolloutTransaction,
): Result {
  const result = work(transaction);
  if (!isThenable(result)) return result;
  // It is told already what is wrong; how it ends interests nobody.
  result.then(undefined, () => {});
  throw new TypeError("Expected work that is done at once, got a promise: wait before or after a change, not inside.");
}

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

/**
 * Any text as one that SQLite keeps and compares whole: it has no form for half a surrogate pair, and many of its functions
 * end a text at NUL. The last character of all is escaped too, so that it may end a range.
 */
export function toKey(text: string): string {
  return text.replaceAll(/[\\\0\u{10ffff}]|\p{Surrogate}/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(""),
  );
}

export function fromKey(key: string): string {
  return key.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Keys from the first up to, not including, the second: those of all texts that begin so, and maybe of a few more. */
export function keyRange(prefix: string): [string, string] {
  // Half a pair is escaped, but not where the other half follows it.
  const from = toKey(prefix.replace(/[\ud800-\udbff]$/, ""));
  return [from, `${from}\u{10ffff}`];
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
