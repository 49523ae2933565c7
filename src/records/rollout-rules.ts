import { isThenable } from "../core/is-thenable.ts";
import type { RolloutTransaction } from "../core/rollout-store.ts";

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
