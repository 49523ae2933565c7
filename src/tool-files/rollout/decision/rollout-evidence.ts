/** What one arm saw in one block of time. `failures` counts what the rule judges by; a timeout is an endless latency. */
export interface ArmSample {
  readonly calls: number;
  readonly failures: number;
  quantile(share: number): number;
  /** How many calls took longer. */
  above(latencyMs: number): number;
}

/** The stable version before the canary began. */
export interface History {
  readonly calls: number;
  readonly failures: number;
}

export interface Tally {
  readonly calls: number;
  readonly failures: number;
}

/**
 * All that the rule needs of the blocks so far. A block is added once and then forgotten, so this stays as small after a
 * million calls as after ten.
 */
export interface Evidence extends Compared {
  readonly stable: Tally;
  /** Stable as one rate over all blocks in which nothing special happened: it tells most, unless times change. */
  readonly pooled: Pooled;
  /** Stable's calls and the history, where each block makes what was before it count a little less: times change. */
  readonly stableLately: Tally & { readonly historyPart: number };
  /** Since the canary last looked as good as stable: a version that went bad late is not judged by its past. */
  readonly lately: Stretch;
  readonly p95: Tail;
  readonly p90: Tail;
}

/** The canary's calls of some blocks, and what stable would have done with them. */
export interface Compared {
  readonly canary: Tally;
  /** Known from stable's calls of the same block, and of late. */
  readonly matched: Matched;
  /** Known from stable's calls of the same block alone: few calls say little, but no outage is taken for a difference. */
  readonly alone: { readonly failures: number; /** Sum of calls² / stable calls. */ readonly coarseness: number };
}

export interface Pooled {
  /** Stable's calls of the usual blocks. */
  readonly stable: Tally;
  /** Failures and variance of the other blocks; borrowed are the canary's calls of the usual ones. */
  readonly matched: Matched;
}

/** Some blocks, and of these the two in which the canary failed most beyond stable: a short outage is in there. */
export interface Stretch extends Compared {
  readonly stable: Tally;
  readonly worst: readonly Compared[];
}

/** Stable's failures had it run the canary's calls, block by block. */
export interface Matched {
  readonly failures: number;
  /** Of the canary's calls, the part for which stable's rate over other blocks stood in. */
  readonly borrowed: number;
  /** Of the part that is not borrowed. */
  readonly variance: number;
}

/** Canary calls compared with the slowest part of stable's calls of the same block. */
export interface TailPart {
  readonly calls: number;
  /** Above stable's quantile by a trifle: evidence that the canary is slower. */
  readonly slow: number;
  /** How many calls of stable would be above the quantile. */
  readonly expectedSlow: number;
  /** Sum of calls² / stable calls of the block: how coarse the comparison is. */
  readonly coarseness: number;
}

export interface Tail extends TailPart {
  /** Above stable's quantile by what is too much: rare enough is evidence that the canary is fast enough. */
  readonly tooSlow: number;
  readonly expectedTooSlow: number;
  /** What people are told: above stable's quantile, and above what the limit allows. */
  readonly aboveQuantile: number;
  readonly aboveAllowed: number;
  /** The block with the most slow calls: a slow hour that hit the canary by chance is in there. */
  readonly worst: TailPart;
}

export interface Block {
  readonly canary: ArmSample;
  readonly stable: ArmSample;
  /** The block before, for when this one has too few calls to know a p95. */
  readonly previousStable: ArmSample | undefined;
  readonly state: "open" | "closed";
}

const nothing: TailPart = { calls: 0, slow: 0, expectedSlow: 0, coarseness: 0 };
const noTail: Tail = { ...nothing, tooSlow: 0, expectedTooSlow: 0, aboveQuantile: 0, aboveAllowed: 0, worst: nothing };

const noMatch: Matched = { failures: 0, borrowed: 0, variance: 0 };
const noTally: Tally = { calls: 0, failures: 0 };
const nothingCompared: Compared = { canary: noTally, matched: noMatch, alone: { failures: 0, coarseness: 0 } };

export const noStretch: Stretch = { ...nothingCompared, stable: noTally, worst: [] };

export const noEvidence: Evidence = {
  ...nothingCompared,
  stable: noTally,
  pooled: { stable: noTally, matched: noMatch },
  stableLately: { calls: 0, failures: 0, historyPart: 1 },
  lately: noStretch,
  p95: noTail,
  p90: noTail,
};
