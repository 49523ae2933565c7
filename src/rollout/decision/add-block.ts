import { addTail } from "./add-tail.ts";
import {
  type Block,
  type Compared,
  type Evidence,
  type History,
  type Matched,
  noStretch,
  type Stretch,
  type Tally,
} from "./evidence.ts";
import type { LatencyAllowance } from "./policy.ts";
import { looksGoodLately, rateOf } from "./weigh-evidence.ts";

/** How many calls at stable's rate of late a block borrows: many when it looks like the others, few when it does not. */
const borrowed = { usual: 150, unusual: 6 };
const unusualDeviations = 2.5;
/** What is left of the weight of earlier calls after some more of stable: the rate of late is that of its last 500. */
const kept = { part: 0.7, after: 150 };
/** Stable's calls, as a part of the canary's: below it an outage may have missed them by chance. */
const leastBeside = 0.25;

const p95 = { share: 0.05, leastSlow: 0.045, leastTooSlow: 0.027 };
const p90 = { share: 0.1, leastSlow: 0.09, leastTooSlow: 0.057 };

/** What the blocks are compared with beside the calls in them. */
export interface Terms {
  readonly history: History;
  readonly latency: LatencyAllowance;
}

/**
 * Adds a block. The canary is compared with what stable did in the same block, weighted by the canary's calls: an outage
 * or a slow hour hits both, and a share of the traffic that changes can't be mistaken for a difference.
 */
export function addBlock(evidence: Evidence, block: Block, { history, latency }: Terms): Evidence {
  return {
    ...addFailures(evidence, block, history),
    p95: addTail(evidence.p95, block, { ...p95, latency }),
    p90: addTail(evidence.p90, block, { ...p90, latency }),
  };
}

/** The same without latencies: all that is needed to see whether a failure was one too many. */
export function addFailures(evidence: Evidence, block: Block, history: History): Evidence {
  const { historyPart } = evidence.stableLately;
  const stableLately = { ...add(evidence.stableLately, block.stable), historyPart };
  const compared = compare(block, rateOf(stableLately, history).rate);
  const isThin = block.stable.calls < leastBeside * block.canary.calls;
  const next: Evidence = {
    ...evidence,
    ...addCompared(evidence, isThin ? compared : { ...compared, alone: compared.matched }),
    stable: add(evidence.stable, block.stable),
    stableLately,
    lately: addToStretch(evidence.lately, compared),
  };
  return block.state === "closed" ? close(next, block, history) : next;
}

function close(evidence: Evidence, { stable }: Block, history: History): Evidence {
  const part = kept.part ** (stable.calls / kept.after);
  const { calls, failures, historyPart } = evidence.stableLately;
  const looksGood = looksGoodLately(evidence, history);
  return {
    ...evidence,
    stableLately: { calls: calls * part, failures: failures * part, historyPart: historyPart * part },
    ...(looksGood && { lately: noStretch }),
  };
}

/** What stable would have done with the canary's calls of this block; `usual` is its rate of late. */
function compare({ canary, stable }: Block, usual: number): Compared {
  const surprise = Math.abs(stable.failures - stable.calls * usual);
  const isThin = stable.calls < leastBeside * canary.calls;
  const isUsual = isThin || surprise <= unusualDeviations * Math.sqrt(stable.calls * usual * (1 - usual)) + 0.5;
  const loan = isUsual ? borrowed.usual : borrowed.unusual;
  const size = stable.calls + loan;
  const spreadOf = (rate: number): number => Math.max(rate * (1 - rate), usual * (1 - usual) * 0.5);
  const rate = (stable.failures + usual * loan) / size;
  const matched: Matched = {
    failures: canary.calls * rate,
    borrowed: (canary.calls * loan) / size,
    variance: canary.calls ** 2 * spreadOf(rate) * (stable.calls / size ** 2),
  };
  const aloneSize = stable.calls + borrowed.unusual;
  const aloneRate = (stable.failures + usual * borrowed.unusual) / aloneSize;
  return {
    canary: { calls: canary.calls, failures: canary.failures },
    matched,
    alone: {
      failures: canary.calls * aloneRate,
      borrowed: 0,
      variance: (canary.calls ** 2 * spreadOf(aloneRate)) / aloneSize,
    },
  };
}

function addToStretch(stretch: Stretch, block: Compared): Stretch {
  const worst = [...stretch.worst, block].toSorted((one, other) => surplus(other) - surplus(one)).slice(0, 2);
  return { ...addCompared(stretch, block), worst };
}

function surplus({ canary, matched }: Compared): number {
  return canary.failures - matched.failures;
}

function addCompared(one: Compared, other: Compared): Compared {
  return {
    canary: add(one.canary, other.canary),
    matched: addMatched(one.matched, other.matched),
    alone: addMatched(one.alone, other.alone),
  };
}

function addMatched(one: Matched, other: Matched): Matched {
  return {
    failures: one.failures + other.failures,
    borrowed: one.borrowed + other.borrowed,
    variance: one.variance + other.variance,
  };
}

function add(one: Tally, other: Tally): Tally {
  return { calls: one.calls + other.calls, failures: one.failures + other.failures };
}
