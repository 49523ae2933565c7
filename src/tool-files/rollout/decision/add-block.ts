import type { LatencyAllowance } from "./policy.ts";
import {
  type ArmSample,
  type Block,
  type Compared,
  type Evidence,
  type History,
  type Matched,
  noStretch,
  type Pooled,
  type Stretch,
  type Tail,
  type TailPart,
  type Tally,
} from "./rollout-evidence.ts";
import { looksGoodLately, rateOf } from "./weigh-evidence.ts";

/** How many calls at stable's rate of late a block borrows: many when it looks like the others, few when it does not. */
const borrowed = { usual: 90, unusual: 6 };
const unusualDeviations = 2.5;
/** What is left of the weight of earlier calls after some more of stable: the rate of late is that of its last 500. */
const kept = { part: 0.7, after: 150 };

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
  const usual = rateOf(stableLately, history).rate;
  const isUsual = looksUsual(block, usual);
  const compared = compare(block, usual, isUsual);
  const next: Evidence = {
    ...evidence,
    ...addCompared(evidence, compared),
    stable: add(evidence.stable, block.stable),
    pooled: pool(evidence.pooled, block, isUsual ? undefined : compared.matched),
    stableLately,
    lately: addToStretch(evidence.lately, compared, block.stable),
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

/** Whether stable failed in this block about as often as of late. */
function looksUsual({ stable }: Block, usual: number): boolean {
  const surprise = Math.abs(stable.failures - stable.calls * usual);
  return surprise <= unusualDeviations * Math.sqrt(stable.calls * usual * (1 - usual)) + 0.5;
}

function pool(pooled: Pooled, { canary, stable }: Block, unusual: Matched | undefined): Pooled {
  if (unusual !== undefined) {
    const { failures, variance } = unusual;
    return { ...pooled, matched: addMatched(pooled.matched, { failures, variance, borrowed: 0 }) };
  }
  const matched = { ...pooled.matched, borrowed: pooled.matched.borrowed + canary.calls };
  return { stable: add(pooled.stable, stable), matched };
}

/** What stable would have done with the canary's calls of this block; `usual` is its rate of late. */
function compare({ canary, stable }: Block, usual: number, isUsual: boolean): Compared {
  const loan = isUsual ? borrowed.usual : borrowed.unusual;
  const size = stable.calls + loan;
  const rate = (stable.failures + usual * loan) / size;
  const matched: Matched = {
    failures: canary.calls * rate,
    borrowed: (canary.calls * loan) / size,
    variance: canary.calls ** 2 * Math.max(rate * (1 - rate), usual * (1 - usual) * 0.5) * (stable.calls / size ** 2),
  };
  const aloneSize = stable.calls + borrowed.unusual;
  const aloneRate = (stable.failures + usual * borrowed.unusual) / aloneSize;
  return {
    canary: { calls: canary.calls, failures: canary.failures },
    matched,
    alone: {
      failures: canary.calls * aloneRate,
      coarseness: canary.calls ** 2 / aloneSize,
    },
  };
}

function addToStretch(stretch: Stretch, block: Compared, stable: Tally): Stretch {
  const worst = [...stretch.worst, block].toSorted((one, other) => surplus(other) - surplus(one)).slice(0, 2);
  return { ...addCompared(stretch, block), stable: add(stretch.stable, stable), worst };
}

function surplus({ canary, matched }: Compared): number {
  return canary.failures - matched.failures;
}

function addCompared(one: Compared, other: Compared): Compared {
  return {
    canary: add(one.canary, other.canary),
    matched: addMatched(one.matched, other.matched),
    alone: {
      failures: one.alone.failures + other.alone.failures,
      coarseness: one.alone.coarseness + other.alone.coarseness,
    },
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

/** What of stable's slowest calls is looked at: above p95, or above p90. */
export interface TailLevel {
  /** The share of stable's calls that is above the quantile. */
  readonly share: number;
  /** Never count as slow, or too slow, what so large a share of stable's own calls is. */
  readonly leastSlow: number;
  readonly leastTooSlow: number;
  /** By how much the canary may be slower. */
  readonly latency: LatencyAllowance;
}

const enoughCalls = 100;
const leastCalls = 60;
/** What is slower by this part of what is allowed is not slower: 5 of the 20 %. */
const triflingPart = 0.25;
/** No call takes longer but one that timed out, whose latency is endless. */
const longestMs = 1e9;

/**
 * A new call of stable exceeds the k-th largest of its n calls with probability k/(n+1), whatever the distribution: no
 * assumption about latencies is needed.
 */
function addTail(tail: Tail, block: Block, level: TailLevel): Tail {
  const { canary } = block;
  const reference = findReference(block);
  if (reference === undefined || canary.calls === 0) return tail;
  const size = reference.calls + 1;
  const rank = (share: number) => Math.max(1, Math.round(share * size));
  const limit = kthLargest(reference, rank(level.share));
  const { share, milliseconds } = level.latency;
  const allowed = Math.max(limit * (1 + share), limit + milliseconds);
  const trifling = Math.max(limit * (1 + triflingPart * share), limit + milliseconds);
  const slowLimit = Math.max(trifling, kthLargest(reference, rank(level.leastSlow)));
  const tooSlowLimit = Math.max(allowed, kthLargest(reference, rank(level.leastTooSlow)));
  const part: TailPart = {
    calls: canary.calls,
    slow: canary.above(slowLimit),
    expectedSlow: (canary.calls * rank(level.share)) / size,
    coarseness: canary.calls ** 2 / reference.calls,
  };
  const usuallyTooSlow = Math.min(rank(level.leastTooSlow), reference.above(tooSlowLimit) + 0.5);
  return {
    calls: tail.calls + part.calls,
    slow: tail.slow + part.slow,
    expectedSlow: tail.expectedSlow + part.expectedSlow,
    coarseness: tail.coarseness + part.coarseness,
    tooSlow: tail.tooSlow + canary.above(tooSlowLimit),
    expectedTooSlow: tail.expectedTooSlow + (canary.calls * usuallyTooSlow) / size,
    aboveQuantile: tail.aboveQuantile + canary.above(limit),
    aboveAllowed: tail.aboveAllowed + canary.above(allowed),
    worst: tailSurplus(part) > tailSurplus(tail.worst) ? part : tail.worst,
  };
}

function tailSurplus(part: TailPart): number {
  return part.slow - part.expectedSlow;
}

interface Reference {
  readonly calls: number;
  quantile(share: number): number;
  above(latencyMs: number): number;
}

/** Stable's calls of the block; with those of the block before if they are few; none if they are too few even so. */
function findReference({ stable, previousStable, state }: Block): Reference | undefined {
  if (stable.calls >= enoughCalls) return stable;
  const leastHere = state === "open" ? 25 : 1;
  if (previousStable && previousStable.calls > 0 && stable.calls >= leastHere) {
    return stable.calls + previousStable.calls >= leastCalls ? both(stable, previousStable) : undefined;
  }
  return stable.calls >= leastCalls ? stable : undefined;
}

function both(one: ArmSample, other: ArmSample): Reference {
  const above = (latencyMs: number) => one.above(latencyMs) + other.above(latencyMs);
  const calls = one.calls + other.calls;
  return {
    calls,
    above,
    // It lies between the quantiles of the two: halve until it is found.
    quantile(share) {
      const wanted = (1 - share) * calls;
      if (above(Infinity) > wanted) return Infinity;
      let low = Math.min(one.quantile(share), other.quantile(share));
      let high = Math.min(longestMs, Math.max(one.quantile(share), other.quantile(share)));
      for (let round = 0; round < 20 && high > low * 1.002; round++) {
        const middle = Math.sqrt(low * high);
        if (above(middle) > wanted) low = middle;
        else high = middle;
      }
      return high;
    },
  };
}

function kthLargest(sample: Reference, k: number): number {
  return sample.quantile(1 - (k - 0.5) / sample.calls);
}
