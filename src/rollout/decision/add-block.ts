import type { ArmSample, Block, Evidence, History, Tail } from "./evidence.ts";

/** Calls as if stable had made them in a thin block at its overall rate. */
const smoothing = 6;
/** The history before the canary counts as so many calls at most: times change. */
const historyWeight = 100;
const enoughForTail = 100;
const leastForTail = 60;

/**
 * Adds a block. The canary is compared with what stable did in the same block, weighted by the canary's calls: an outage
 * or a slow hour hits both, and a share of the traffic that changes can't be mistaken for a difference.
 */
export function addBlock(evidence: Evidence, block: Block, history: History): Evidence {
  const { canary, stable } = block;
  const total = {
    calls: evidence.stable.calls + stable.calls,
    failures: evidence.stable.failures + stable.failures,
  };
  const before = historyRate(history);
  const overall = (total.failures + before * historyWeight) / (total.calls + historyWeight);
  const size = stable.calls + smoothing;
  const rate = (stable.failures + overall * smoothing) / size;
  const spread = Math.max(rate * (1 - rate), overall * (1 - overall) * 0.5);
  return {
    canary: {
      calls: evidence.canary.calls + canary.calls,
      failures: evidence.canary.failures + canary.failures,
    },
    stable: total,
    expected: evidence.expected + canary.calls * rate,
    variance: evidence.variance + (canary.calls ** 2 * spread) / size,
    tail: canary.calls > 0 && !(block as {noTail?: boolean}).noTail ? addTail(evidence.tail, block) : evidence.tail,
  };
}

export function historyRate({ calls, failures }: History): number {
  return (failures + 0.5) / (calls + 1);
}

/**
 * A new call of stable exceeds the k-th largest of its n calls with probability k/(n+1), whatever the distribution: no
 * assumption about latencies is needed.
 */
function addTail(tail: Tail, { canary, stable, previousStable, state }: Block): Tail {
  const reference = tailReference({ stable, previousStable, state });
  if (reference === undefined) return tail;
  const size = reference.calls + 1;
  const rank = (share: number) => Math.max(1, Math.round(share * size));
  const p95 = kthLargest(reference, rank(0.05));
  const slowLimit = Math.max(1.05 * p95, kthLargest(reference, rank(0.045)));
  const tooSlowLimit = Math.max(1.2 * p95, kthLargest(reference, rank(0.027)));
  const expected = (limit: number, most: number) =>
    (canary.calls * Math.min(most, reference.above(limit) + 0.5)) / size;
  return {
    calls: tail.calls + canary.calls,
    slow: tail.slow + canary.above(slowLimit),
    tooSlow: tail.tooSlow + canary.above(tooSlowLimit),
    expectedSlow: tail.expectedSlow + expected(slowLimit, rank(0.05)),
    expectedTooSlow: tail.expectedTooSlow + expected(tooSlowLimit, rank(0.027)),
    expectedTail: tail.expectedTail + (canary.calls * rank(0.05)) / size,
    coarseness: tail.coarseness + canary.calls ** 2 / reference.calls,
  };
}

interface Reference {
  readonly calls: number;
  quantile(share: number): number;
  above(latencyMs: number): number;
}

function tailReference({ stable, previousStable, state }: Omit<Block, "canary">): Reference | undefined {
  if (stable.calls >= enoughForTail) return stable;
  const leastHere = state === "open" ? 25 : 0;
  if (previousStable && stable.calls >= leastHere && stable.calls + previousStable.calls >= leastForTail) {
    return both(stable, previousStable);
  }
  return stable.calls >= leastForTail ? stable : undefined;
}

function both(one: ArmSample, other: ArmSample): Reference {
  const above = (latencyMs: number) => one.above(latencyMs) + other.above(latencyMs);
  const calls = one.calls + other.calls;
  return {
    calls,
    above,
    // The latency with the right number of calls above it lies between the two arms' own: halve until it is found.
    quantile(share) {
      const wanted = (1 - share) * calls;
      let low = Math.min(quantileOf(one, share), quantileOf(other, share));
      let high = Math.max(quantileOf(one, share), quantileOf(other, share));
      if (high === Infinity && above(1e9) >= wanted) return Infinity;
      high = Math.min(high, 1e9);
      for (let round = 0; round < 20 && high - low > 2e-3 * low; round++) {
        const middle = Math.sqrt(low * high);
        if (above(middle) > wanted) low = middle;
        else high = middle;
      }
      return high;
    },
  };
}

function quantileOf(sample: ArmSample, share: number): number {
  return sample.calls > 0 ? sample.quantile(share) : 1;
}

function kthLargest(sample: Reference, k: number): number {
  return sample.quantile(1 - (k - 0.5) / sample.calls);
}
