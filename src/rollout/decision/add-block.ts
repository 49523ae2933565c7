import { addTail } from "./add-tail.ts";
import type { Block, Evidence, History, Tally } from "./evidence.ts";

/** The history before the canary counts as so many calls at most: times change. Without one, a few calls at 1 % stand in. */
const historyWeight = { least: 5, most: 100 };
const unknownHistory = { calls: 50, failures: 0.5 };
/** How many calls at stable's overall rate a block borrows: many when it looks like the others, few when it does not. */
const borrowed = { usual: 150, unusual: 6 };
const unusualDeviations = 2.5;

const p95 = { share: 0.05, leastSlow: 0.045, leastTooSlow: 0.027 };
const p90 = { share: 0.1, leastSlow: 0.09, leastTooSlow: 0.057 };

/**
 * Adds a block. The canary is compared with what stable did in the same block, weighted by the canary's calls: an outage
 * or a slow hour hits both, and a share of the traffic that changes can't be mistaken for a difference.
 */
export function addBlock(evidence: Evidence, block: Block, history: History): Evidence {
  return {
    ...addFailures(evidence, block, history),
    p95: addTail(evidence.p95, block, p95),
    p90: addTail(evidence.p90, block, p90),
  };
}

/** The same without latencies: all that is needed to see whether a failure was one too many. */
export function addFailures(evidence: Evidence, { canary, stable }: Block, history: History): Evidence {
  const total = add(evidence.stable, stable);
  const overall = overallRate(total, history).rate;
  const surprise = Math.abs(stable.failures - stable.calls * overall);
  const usual = surprise <= unusualDeviations * Math.sqrt(stable.calls * overall * (1 - overall)) + 0.5;
  const loan = usual ? borrowed.usual : borrowed.unusual;
  const size = stable.calls + loan;
  const rate = (stable.failures + overall * loan) / size;
  const spread = Math.max(rate * (1 - rate), overall * (1 - overall) * 0.5);
  const { matched } = evidence;
  return {
    ...evidence,
    canary: add(evidence.canary, canary),
    stable: total,
    matched: {
      own: matched.own + (canary.calls * stable.failures) / size,
      borrowed: matched.borrowed + (canary.calls * loan) / size,
      variance: matched.variance + canary.calls ** 2 * spread * (stable.calls / size ** 2),
    },
  };
}

/** Stable's rate over all blocks and the history, and how many calls it rests on. */
export function overallRate(stable: Tally, history: History): Tally & { rate: number } {
  const weight = Math.min(Math.max(history.calls, historyWeight.least), historyWeight.most);
  const standIn = Math.max(1, unknownHistory.calls - history.calls / 2);
  const before = (history.failures + unknownHistory.failures) / (history.calls + standIn);
  const calls = stable.calls + weight;
  const failures = stable.failures + before * weight;
  return { calls, failures, rate: failures / calls };
}

function add(one: Tally, other: Tally): Tally {
  return { calls: one.calls + other.calls, failures: one.failures + other.failures };
}
