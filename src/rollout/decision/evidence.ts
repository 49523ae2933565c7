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

/**
 * All that the rule needs of the blocks so far. A block is added once and then forgotten, so this stays as small after a
 * million calls as after ten.
 */
export interface Evidence {
  readonly canary: { readonly calls: number; readonly failures: number };
  readonly stable: { readonly calls: number; readonly failures: number };
  /** Stable's failures and their variance, had it run the canary's calls in each block. */
  readonly expected: number;
  readonly variance: number;
  readonly tail: Tail;
}

/** Canary calls compared with the slowest twentieth of stable's calls of the same block. */
export interface Tail {
  readonly calls: number;
  /** Above stable's p95 by a trifle: evidence that the canary is slower. */
  readonly slow: number;
  /** Above stable's p95 by what is too much: rare enough is evidence that the canary is fast enough. */
  readonly tooSlow: number;
  /** How many of stable's would be above each of the two, and above its p95. */
  readonly expectedSlow: number;
  readonly expectedTooSlow: number;
  readonly expectedTail: number;
  /** Sum of calls² / stable calls of the block: how coarse the comparison is. */
  readonly coarseness: number;
}

export interface Block {
  readonly canary: ArmSample;
  readonly stable: ArmSample;
  /** The block before, for when this one has too few calls to know a p95. */
  readonly previousStable: ArmSample | undefined;
  readonly state: "open" | "closed";
}

export const noEvidence: Evidence = {
  canary: { calls: 0, failures: 0 },
  stable: { calls: 0, failures: 0 },
  expected: 0,
  variance: 0,
  tail: {
    ...{ calls: 0, slow: 0, tooSlow: 0 },
    ...{ expectedSlow: 0, expectedTooSlow: 0, expectedTail: 0, coarseness: 0 },
  },
};
