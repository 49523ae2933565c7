import { type Beta, type Grid, probabilityAbove, spreadBeta } from "./beta.ts";

/** How much higher than stable's a rate is: so many points, and so large a part of stable's own rate. */
export interface Excess {
  readonly points: number;
  readonly share: number;
}

/** What was counted on the canary. `failures` may be a fraction: a bin can lie across a limit. */
export interface Counted {
  readonly failures: number;
  readonly calls: number;
}

/** P(the canary's rate > stable's rate + excess), both rates unknown. */
export function probabilityWorse({ canary, stable, excess }: { canary: Beta; stable: Beta; excess: Excess }): number {
  const { rates, weights } = spreadBeta(stable);
  let sum = 0;
  for (let index = 0; index < rates.length; index++) {
    const limit = exceeding(rates[index] as number, excess);
    sum += (weights[index] as number) * probabilityAbove(canary, limit);
  }
  return sum;
}

/**
 * log of how probable the counts are if the canary's rate is stable's plus the excess; stable's rate is averaged over
 * all that it may be. Only differences between two of these mean something: the binomial coefficient is left out.
 */
export function logLikelihood(counted: Counted, stable: Grid, excess: Excess): number {
  const { failures } = counted;
  const successes = counted.calls - failures;
  let peak = -Infinity;
  let sum = 0;
  for (let index = 0; index < stable.rates.length; index++) {
    const logWeight = stable.logWeights[index] as number;
    // Too improbable to matter: e^-30 of the rest.
    if (logWeight < -30) continue;
    const rate = Math.min(exceeding(stable.rates[index] as number, excess), 1 - 1e-9);
    const value = logWeight + failures * Math.log(rate) + successes * Math.log1p(-rate);
    if (value > peak) {
      sum = sum * Math.exp(peak - value) + 1;
      peak = value;
    } else sum += Math.exp(value - peak);
  }
  return peak + Math.log(sum);
}

export function exceeding(rate: number, { points, share }: Excess): number {
  return rate + points + share * rate;
}

/** Below this the routing is broken, not unlucky. */
export const leastSampleRatio = 0.001;

/** How widely the mixture below looks for a difference, in units of variance; small finds gross faults soon. */
const mixture = 10;

/**
 * How probable it is that the canary got so many or so few of the conversations by chance. It may be asked after every
 * call: the mixture over all differences keeps its promise however often one looks.
 */
export function sampleRatio({
  canary,
  expected,
  variance,
}: {
  canary: number;
  expected: number;
  variance: number;
}): number {
  const spread = variance + mixture;
  return Math.min(1, Math.sqrt(spread / mixture) * Math.exp(-((canary - expected) ** 2) / (2 * spread)));
}
