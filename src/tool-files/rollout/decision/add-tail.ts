import type { ArmSample, Block, Tail, TailPart } from "./rollout-evidence.ts";
import type { LatencyAllowance } from "./policy.ts";

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
export function addTail(tail: Tail, block: Block, level: TailLevel): Tail {
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
    worst: surplus(part) > surplus(tail.worst) ? part : tail.worst,
  };
}

function surplus(part: TailPart): number {
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
