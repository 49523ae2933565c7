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
