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
export interface Evidence {
  readonly canary: Tally;
  readonly stable: Tally;
  /**
   * Stable's failures had it run the canary's calls block by block: `own` from the blocks themselves, plus stable's
   * overall rate for as many calls as are `borrowed`. The variance is that of `own`.
   */
  readonly matched: { readonly own: number; readonly borrowed: number; readonly variance: number };
  readonly p95: Tail;
  readonly p90: Tail;
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
const noTail: Tail = { ...nothing, tooSlow: 0, expectedTooSlow: 0, worst: nothing };

export const noEvidence: Evidence = {
  canary: { calls: 0, failures: 0 },
  stable: { calls: 0, failures: 0 },
  matched: { own: 0, borrowed: 0, variance: 0 },
  p95: noTail,
  p90: noTail,
};
