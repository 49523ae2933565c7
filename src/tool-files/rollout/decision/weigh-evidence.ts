import { type Beta, type Grid, spreadBeta } from "./beta.ts";
import { type Excess, logLikelihood } from "./compare-rates.ts";
import type { Compared, Evidence, History, Matched, Stretch, Tail, TailPart, Tally } from "./rollout-evidence.ts";

/** Logarithms of likelihood ratios: how many times likelier one explanation of the counts is than another. */
export interface FailureWeights {
  /** Failing by what matters, against failing as stable does. Very low: safe to go on. */
  readonly unsafe: number;
  /** The same by stable's calls of the same block alone: it tells less, and no drift of both arms deceives it. */
  readonly unsafeAlone: number;
  /** Failing more by some amount, small to huge, against failing as stable does. Very high: roll back. */
  readonly worse: number;
  /** The same for the latest calls alone. */
  readonly worseLately: number;
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

/** Of one kind of input there are few calls, and a kind that breaks often breaks altogether. */
const kindSeverities = [...severities, { points: 0.6, share: 2, weight: 0.1 }];
/**
 * What stable's calls of the same blocks say alone may be weaker than what all of stable's calls say, as long as it is unlikely that
 * something changed for both: the longer the trial, the likelier it did. In calls; a kind of input has few of them.
 */
const aloneLead = { calls: 900, kind: Math.log(285) };
/** Of late it may be weaker if more than two blocks show it, and stable's calls are so much likelier at its usual rate than at the canary's. */
const notSharedOdds = 12;
/** A rate that hardly anything is known about lies anywhere: that takes more points. */
const finePoints = 256;

/** Over all calls, or over those of one kind of input. */
export type Scope = "all" | "kind";

/**
 * Stable is known in three ways: as one rate over all that was usual, which tells most; block by block and of late; and block by
 * block alone, which tells least, and which no drift of both arms deceives. Worse is what all call worse.
 */
export function weighFailures(evidence: Evidence, history: History, scope: Scope = "all"): FailureWeights {
  const { canary, stable, stableLately, lately } = evidence;
  const each = scope === "kind" ? kindSeverities : severities;
  const all = rateOf({ ...stable, historyPart: 1 }, history);
  const usual = poolHistory(evidence.pooled.stable, history);
  const [pooled, matched, alone] = [
    spreadBeta(pooledPosterior(evidence, history)),
    spreadBeta(posterior(canary, evidence.matched, all)),
    spreadAlone(evidence),
  ];
  const known = Math.min(weighCounted(canary, pooled, each), weighCounted(canary, matched, each));
  // Only where it matters: most calls do not look worse at all.
  const lead = scope === "kind" ? aloneLead.kind : Math.log1p((aloneLead.calls / (canary.calls + stable.calls)) ** 2);
  const worse = known <= 0 ? known : Math.min(known, weighCounted(canary, alone, each) + lead);
  return {
    unsafe: weighUnsafe(canary, pooled),
    unsafeAlone: weighUnsafe(canary, alone),
    worse,
    worseLately: weighLately(lately, usual, { stable: rateOf(stableLately, history), severities: each }),
  };
}

function weighUnsafe(canary: Tally, stable: Grid): number {
  return logLikelihood(canary, stable, unsafeExcess) - logLikelihood(canary, stable, same);
}

interface Weighed {
  readonly stable: Tally;
  readonly severities: readonly (Excess & { weight: number })[];
}

/** Whether what came lately is no reason to look at it apart. */
export function looksGoodLately({ lately, stableLately }: Evidence, history: History): boolean {
  return weighMatched(lately, { stable: rateOf(stableLately, history), severities }) <= 0;
}

function weighLately(lately: Stretch, usual: Tally, of: Weighed): number {
  const known = weighMatched(lately, of);
  if (known <= 0) return known;
  const alone = weighCounted(lately.canary, spreadAlone(lately), of.severities);
  if (isShared(lately, usual)) return Math.min(known, alone);
  const elsewhere = weighCounted(lately.worst.reduce(without, lately.canary), spreadBeta(betaOf(usual)), of.severities);
  return Math.min(known, Math.max(alone, elsewhere));
}

/** Whether stable's calls of the same time may be failing as the canary's do: what breaks for both is not the canary's fault. */
function isShared({ canary, stable }: Stretch, usual: Tally): boolean {
  const of = (counted: Tally) => logLikelihood(stable, spreadBeta(betaOf(counted)), same);
  return of(usual) - of(canary) < Math.log(notSharedOdds);
}

function betaOf({ calls, failures }: Tally): Beta {
  return { failures: failures + 0.5, successes: calls - failures + 0.5 };
}

function weighMatched({ canary, matched }: Compared, { stable, severities: each }: Weighed): number {
  return canary.calls < 1 ? 0 : weighCounted(canary, spreadBeta(posterior(canary, matched, stable)), each);
}

/** Stable's rate as its calls of the same blocks have it, with the number of calls that these are worth to the canary's mix. */
function spreadAlone({ canary, alone }: Compared): Grid {
  const size = canary.calls ** 2 / Math.max(alone.coarseness, 1e-9);
  const rate = canary.calls > 0 ? alone.failures / canary.calls : 0;
  return spreadBeta({ failures: rate * size + 0.1, successes: (1 - rate) * size + 0.9 }, finePoints);
}

function weighCounted(canary: Tally, grid: Grid, each: Weighed["severities"]): number {
  const of = (excess: Excess) => logLikelihood(canary, grid, excess);
  return logSum(each.map((severity) => of(severity) + Math.log(severity.weight))) - of(trifling);
}

function without(all: Tally, { canary }: Compared): Tally {
  return { calls: all.calls - canary.calls, failures: all.failures - canary.failures };
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
export function stablePosterior({ canary, matched, stable }: Evidence, history: History): Beta {
  return posterior(canary, matched, rateOf({ ...stable, historyPart: 1 }, history));
}

/** The same, known from all of stable's calls but those of unusual blocks. */
function pooledPosterior({ canary, pooled: { stable, matched } }: Evidence, history: History): Beta {
  const usual = poolHistory(stable, history);
  return posterior(canary, { ...matched, failures: matched.failures + matched.borrowed * usual.rate }, usual);
}

/** The same over the latest calls alone. */
export function stablePosteriorLately({ stableLately, lately }: Evidence, history: History): Beta {
  return posterior(lately.canary, lately.matched, rateOf(stableLately, history));
}

function posterior(canary: Tally, matched: Matched, stable: Tally): Beta {
  if (canary.calls === 0) return { failures: stable.failures, successes: stable.calls - stable.failures };
  const rate = matched.failures / canary.calls;
  const usual = stable.failures / stable.calls;
  // Blocks that borrow from the same rate err together, and with their own part of it.
  const together = matched.borrowed * (2 * canary.calls - matched.borrowed);
  const variance = matched.variance + (together * usual * (1 - usual)) / stable.calls;
  const size = Math.max(5, (rate * (1 - rate) * canary.calls ** 2) / variance);
  return { failures: rate * size + 0.1, successes: (1 - rate) * size + 0.9 };
}

/** The history before the canary counts as so many calls at most: times change. Without one, a few calls at 1 % stand in. */
const historyWeight = { least: 5, most: 100 };
const unknownHistory = { calls: 50, failures: 0.5 };

/** Stable's rate over blocks and the history, and how many calls it rests on. */
export function rateOf(stable: Evidence["stableLately"], history: History): Tally & { rate: number } {
  const weight = stable.historyPart * Math.min(Math.max(history.calls, historyWeight.least), historyWeight.most);
  const standIn = Math.max(1, unknownHistory.calls - history.calls / 2);
  const before = (history.failures + unknownHistory.failures) / (history.calls + standIn);
  const calls = stable.calls + weight;
  const failures = stable.failures + before * weight;
  return { calls, failures, rate: failures / calls };
}

/** Far more of the history counts where stable still does what it did: less, the less the two agree. */
const mostHistory = 1000;

function poolHistory(stable: Tally, history: History): Tally & { rate: number } {
  const little = rateOf({ ...stable, historyPart: 1 }, history);
  const more = Math.min(history.calls, mostHistory) - historyWeight.most;
  if (more <= 0 || stable.calls === 0) return little;
  const before = (history.failures + unknownHistory.failures) / (history.calls + 1);
  const variance = little.rate * (1 - little.rate) * (1 / stable.calls + 1 / history.calls);
  const surprise = (stable.failures / stable.calls - before) ** 2 / variance;
  const part = more / Math.max(1, surprise);
  const calls = little.calls + part;
  const failures = little.failures + before * part;
  return { calls, failures, rate: failures / calls };
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
