import { type Beta, type Grid, spreadBeta } from "./beta.ts";
import { type Excess, logLikelihood } from "./compare-rates.ts";
import type { Compared, Evidence, History, Matched, Stretch, Tail, TailPart, Tally } from "./evidence.ts";

/** Logarithms of likelihood ratios: how many times likelier one explanation of the counts is than another. */
export interface FailureWeights {
  /** Failing by what matters, against failing as stable does. Very low: safe to go on. */
  readonly unsafe: number;
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
 * Where stable has few calls beside the canary's, an outage may have missed them by chance. What they say alone may be weaker
 * by this than what all of stable's calls say …
 */
const aloneLead = { all: Math.log(2), kind: Math.log(285) };
/** … and by this where more than two blocks show it: that is no outage, unless stable's calls say otherwise. */
const lastingLead = Math.log(1300);
/** A rate that hardly anything is known about lies anywhere: that takes more points. */
const finePoints = 256;

/** Over all calls, or over those of one kind of input. */
export type Scope = keyof typeof aloneLead;

export function weighFailures(evidence: Evidence, history: History, scope: Scope = "all"): FailureWeights {
  const { canary, stable, stableLately, lately } = evidence;
  const all = rateOf({ ...stable, historyPart: 1 }, history);
  const grid = spreadBeta(posterior(canary, evidence.matched, all));
  const of = { stable: all, severities: scope === "kind" ? kindSeverities : severities };
  const known = weighWorse(evidence, "matched", of);
  // Only where it matters: most calls do not look worse at all, and most blocks have enough of stable.
  const worse = known <= 0 ? known : Math.min(known, weighWorse(evidence, "alone", of) + aloneLead[scope]);
  return {
    unsafe: logLikelihood(canary, grid, unsafeExcess) - logLikelihood(canary, grid, same),
    worse,
    worseLately: weighLately(lately, { ...of, stable: rateOf(stableLately, history) }),
  };
}

interface Weighed {
  readonly stable: Tally;
  readonly severities: readonly (Excess & { weight: number })[];
}

/** Whether what came lately is no reason to look at it apart. */
export function looksGoodLately({ lately, stableLately }: Evidence, history: History): boolean {
  return weighWorse(lately, "matched", { stable: rateOf(stableLately, history), severities }) <= 0;
}

function weighLately(lately: Stretch, of: Weighed): number {
  const known = weighWorse(lately, "matched", of);
  if (known <= 0) return known;
  const alone = weighWorse(lately, "alone", of);
  const elsewhere = weighWorse(lately.worst.reduce(withoutBlock, lately), "matched", of);
  return Math.min(known, Math.max(alone, Math.min(elsewhere, alone + lastingLead)));
}

function weighWorse(compared: Compared, by: "matched" | "alone", { stable, severities: each }: Weighed): number {
  const { canary } = compared;
  if (canary.calls < 1) return 0;
  const grid = spreadBeta(posterior(canary, compared[by], stable), by === "alone" ? finePoints : undefined);
  const of = (excess: Excess) => logLikelihood(canary, grid, excess);
  return logSum(each.map((severity) => of(severity) + Math.log(severity.weight))) - of(trifling);
}

function withoutBlock({ canary, matched }: Compared, block: Compared): Compared {
  const rest = {
    failures: Math.max(0, matched.failures - block.matched.failures),
    borrowed: Math.max(0, matched.borrowed - block.matched.borrowed),
    variance: Math.max(0, matched.variance - block.matched.variance),
  };
  const left = { calls: canary.calls - block.canary.calls, failures: canary.failures - block.canary.failures };
  return { canary: left, matched: rest, alone: rest };
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
  return posterior(canary, matched, rateOf({ ...stable, historyPart: 1 }, history));
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
