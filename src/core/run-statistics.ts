/** The calls of a conversation, or of one run of it. */
export interface RunStatistics {
  readonly calls: number;
  readonly successes: number;
  readonly failures: number;
  readonly cancelled: number;
  readonly consecutiveReadOnlySuccesses: number;
  readonly consecutiveNonMutatingSuccesses: number;
  readonly consecutiveErrors: number;
  /** Calls that the failure guard did not run again. */
  readonly blockedRepeats: number;
  /** Successes that came right after one failure or more. */
  readonly recoveries: number;
  /** Canonical names in the order of their first use. */
  readonly toolsUsed: readonly string[];
}
