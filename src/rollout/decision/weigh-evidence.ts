import { type Beta, spreadBeta } from "./beta.ts";
import { type Counted, type Excess, logLikelihood } from "./compare-rates.ts";
import type { Evidence } from "./evidence.ts";

/** What the counts say, as logarithms of likelihood ratios: how many times likelier one explanation is than another. */
export interface Weights {
  /** Failing by what matters, against failing as stable does. Very low: safe to go on. */
  readonly unsafe: number;
  /** Failing more by some amount, small to huge, against failing as stable does. Very high: roll back. */
  readonly worse: number;
  /** The same two for the share of slow calls. */
  readonly tooSlow: number;
  readonly slower: number;
}

const same: Excess = { points: 0, share: 0 };
/** A difference that nobody would roll back for. */
const trifling: Excess = { points: 0.001, share: 0.08 };
/** The smallest difference that must not reach everybody. */
export const unsafeExcess: Excess = { points: 0.017, share: 0.25 };
/** How bad a bad version is can't be known before: a mixture finds each nearly as soon as a test made for it. */
const severities: readonly Excess[] = [
  { points: 0.017, share: 0.25 },
  { points: 0.04, share: 0.5 },
  { points: 0.1, share: 1 },
  { points: 0.3, share: 2 },
];
/** The share above 1.2 × stable's p95 at which the canary's own p95 is a good deal above that. */
const tooSlowShare = 0.062;
/** Shares above stable's p95, where 5 % is what stable itself has. */
const slowShares = [0.08, 0.12, 0.2, 0.4];

export function weighFailures(evidence: Evidence): Pick<Weights, "unsafe" | "worse"> {
  const grid = spreadBeta(stablePosterior(evidence));
  const of = (excess: Excess) => logLikelihood(evidence.canary, grid, excess);
  return {
    unsafe: of(unsafeExcess) - of(same),
    worse: logMean(severities.map(of)) - of(trifling),
  };
}

export function weighTail({ tail }: Evidence): Pick<Weights, "tooSlow" | "slower"> {
  if (tail.calls === 0) return { tooSlow: 0, slower: 0 };
  const size = tail.calls ** 2 / tail.coarseness;
  const slow = tail.expectedTail / tail.calls;
  const rare = tail.expectedTooSlow / tail.calls;
  const slowGrid = spreadBeta({ failures: slow * size, successes: (1 - slow) * size });
  const rareGrid = spreadBeta({ failures: rare * size, successes: (1 - rare) * size });
  const ofSlow = (share: number) =>
    logLikelihood(counted(tail.slow, tail.calls), slowGrid, { points: 0, share: share / slow - 1 });
  const ofRare = (share: number) =>
    logLikelihood(counted(tail.tooSlow, tail.calls), rareGrid, { points: 0, share: share / rare - 1 });
  return {
    tooSlow: ofRare(tooSlowShare) - ofRare(rare),
    slower: logMean(slowShares.map(ofSlow)) - ofSlow(slow),
  };
}

/** Stable's failure rate over the canary's mix of blocks, with the number of calls that it is worth. */
export function stablePosterior({ canary, expected, variance }: Evidence): Beta {
  if (canary.calls === 0) return { failures: 0.5, successes: 49.5 };
  const rate = expected / canary.calls;
  const size = Math.max(5, (rate * (1 - rate) * canary.calls ** 2) / variance);
  return { failures: rate * size + 0.1, successes: (1 - rate) * size + 0.9 };
}

function counted(failures: number, calls: number): Counted {
  return { failures, calls };
}

function logMean(values: readonly number[]): number {
  const peak = Math.max(...values);
  return peak + Math.log(values.reduce((sum, value) => sum + Math.exp(value - peak), 0) / values.length);
}
