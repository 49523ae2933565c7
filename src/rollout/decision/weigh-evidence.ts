import { overallRate } from "./add-block.ts";
import { type Beta, type Grid, spreadBeta } from "./beta.ts";
import { type Excess, logLikelihood } from "./compare-rates.ts";
import type { Evidence, History, Tail, TailPart } from "./evidence.ts";

/** Logarithms of likelihood ratios: how many times likelier one explanation of the counts is than another. */
export interface FailureWeights {
  /** Failing by what matters, against failing as stable does. Very low: safe to go on. */
  readonly unsafe: number;
  /** Failing more by some amount, small to huge, against failing as stable does. Very high: roll back. */
  readonly worse: number;
}

export interface TailWeights {
  /** Above stable's quantile by what matters, against as slow as stable. Very low: safe to go on. */
  readonly tooSlow: number;
  /** Slower by some amount, against as slow as stable. Very high: roll back. */
  readonly slower: number;
  /** The same without the block in which the canary had the most slow calls. */
  readonly slowerElsewhere: number;
}

const same: Excess = { points: 0, share: 0 };
/** A difference that nobody would roll back for. */
const trifling: Excess = { points: 0.001, share: 0.08 };
/** The smallest difference that must not reach everybody. */
export const unsafeExcess: Excess = { points: 0.017, share: 0.25 };
/**
 * How bad a bad version is can't be known before: a mixture finds each nearly as soon as a test made for it. The worst
 * weighs least: three failures in ten calls happen to a good version, too.
 */
const severities: readonly (Excess & { weight: number })[] = [
  { ...unsafeExcess, weight: 0.4 },
  { points: 0.04, share: 0.5, weight: 0.3 },
  { points: 0.1, share: 1, weight: 0.2 },
  { points: 0.3, share: 2, weight: 0.1 },
];
/** The share of calls above 1.2 × stable's quantile, as parts of the share above the quantile itself. */
export const tooSlowPart = 1.22;
/** Shares above stable's quantile, as parts of stable's own. */
const slowParts = [1.6, 2.4, 4, 7];

export function weighFailures(evidence: Evidence, history: History): FailureWeights {
  const grid = spreadBeta(stablePosterior(evidence, history));
  const of = (excess: Excess) => logLikelihood(evidence.canary, grid, excess);
  return {
    unsafe: of(unsafeExcess) - of(same),
    worse: logSum(severities.map((severity) => of(severity) + Math.log(severity.weight))) - of(trifling),
  };
}

export function weighTail(tail: Tail): TailWeights {
  if (tail.calls === 0) return { tooSlow: 0, slower: 0, slowerElsewhere: 0 };
  const { worst } = tail;
  return {
    tooSlow: weighTooSlow(tail),
    slower: weighSlower(tail),
    slowerElsewhere: weighSlower({
      calls: tail.calls - worst.calls,
      slow: tail.slow - worst.slow,
      expectedSlow: tail.expectedSlow - worst.expectedSlow,
      coarseness: tail.coarseness - worst.coarseness,
    }),
  };
}

/** Stable's failure rate over the canary's mix of blocks, with the number of calls that it is worth. */
export function stablePosterior({ canary, stable, matched }: Evidence, history: History): Beta {
  const overall = overallRate(stable, history);
  if (canary.calls === 0) return { failures: overall.failures, successes: overall.calls - overall.failures };
  const rate = (matched.own + matched.borrowed * overall.rate) / canary.calls;
  // Blocks that borrow from the overall rate err together, and with their own part of it.
  const together = matched.borrowed * (2 * canary.calls - matched.borrowed);
  const variance = matched.variance + (together * overall.rate * (1 - overall.rate)) / overall.calls;
  const size = Math.max(5, (rate * (1 - rate) * canary.calls ** 2) / variance);
  return { failures: rate * size + 0.1, successes: (1 - rate) * size + 0.9 };
}

function weighTooSlow({ calls, tooSlow, expectedTooSlow, expectedSlow, coarseness }: Tail): number {
  const usual = expectedTooSlow / calls;
  const grid = gridAround(usual, calls ** 2 / coarseness);
  const counted = { calls, failures: tooSlow };
  const share = (tooSlowPart * expectedSlow) / calls / usual - 1;
  return logLikelihood(counted, grid, { points: 0, share }) - logLikelihood(counted, grid, same);
}

function weighSlower({ calls, slow, expectedSlow, coarseness }: TailPart): number {
  if (calls < 1) return 0;
  const grid = gridAround(expectedSlow / calls, calls ** 2 / coarseness);
  const of = (part: number) => logLikelihood({ calls, failures: slow }, grid, { points: 0, share: part - 1 });
  return logSum(slowParts.map(of)) - Math.log(slowParts.length) - of(1);
}

function gridAround(rate: number, size: number): Grid {
  return spreadBeta({ failures: rate * size, successes: (1 - rate) * size });
}

function logSum(values: readonly number[]): number {
  const peak = Math.max(...values);
  return peak + Math.log(values.reduce((sum, value) => sum + Math.exp(value - peak), 0));
}
