/** What a rollout of one tool has to prove, and how fast it may go. */
export interface RolloutPolicy {
  /** Live calls and scheduled runs are routed and judged apart. */
  readonly scope: "live" | "scheduled";
  /** Percent of the conversations that get the canary, stage by stage; the last is 100. */
  readonly stages: readonly number[];
  /** How many times likelier one explanation must be than the other. */
  readonly odds: RolloutOdds;
  readonly limits: RolloutLimits;
  /** After so many canary calls it has been shown to be safe, or it goes. */
  readonly maxCanaryCalls: number;
  /** After so long a person has to decide. */
  readonly maxAgeMs: number;
  /**
   * What stays on the old version once everybody else has the new one, so that a defect that comes late is still compared with
   * something: until there were so many canary calls, or for so long. 0 percent for none.
   */
  readonly holdback: { readonly percent: number; readonly calls: number; readonly elapsedMs: number };
  /** What scheduled runs need before a person may let them pass, unproven. */
  readonly scheduled: { readonly runs: number; readonly elapsedMs: number };
}

export interface RolloutOdds {
  /** As good as stable, against unsafe: to leave the first stage, the second … (the last one counts for all others). */
  readonly advance: readonly number[];
  /** The same, before everybody gets it. */
  readonly promote: number;
  /** Worse than stable, against as good. */
  readonly rollback: number;
}

/** The limits that people read, as excess over what the stable version does at the same time. */
export interface RolloutLimits {
  /** Nothing is promoted above these. */
  readonly errorRate: number;
  readonly timeoutRate: number;
  /** p95: this part of stable's p95, and at least this much, may be added. */
  readonly latency: LatencyAllowance;
  /** What is credibly above this is rolled back. */
  readonly rollbackRate: number;
  /** Canary calls before any of these counts, and before everybody gets the canary. */
  readonly calls: number;
  /** Canary calls in each stage before the next one. A rollback waits for none. */
  readonly stageCalls: number;
}

/** By how much a p95 may be above stable's: the larger of the two. */
export interface LatencyAllowance {
  /** As a part of stable's p95. */
  readonly share: number;
  readonly milliseconds: number;
}

export const defaultLatency: LatencyAllowance = { share: 0.2, milliseconds: 5 };

const day = 24 * 60 * 60_000;

/** The defaults. High risk takes smaller steps and asks for more evidence before the end. */
export function rolloutPolicy(scope: "live" | "scheduled", risk: "low" | "high"): RolloutPolicy {
  return {
    scope,
    stages: risk === "high" ? [1, 5, 20, 50, 100] : [10, 30, 60, 100],
    odds: { advance: [0.06, 0.1], promote: risk === "high" ? 400 : 145, rollback: 80 },
    limits: {
      errorRate: 0.02,
      timeoutRate: 0.01,
      latency: defaultLatency,
      rollbackRate: 0.05,
      calls: 100,
      stageCalls: 100,
    },
    maxCanaryCalls: 4000,
    maxAgeMs: 14 * day,
    holdback: { percent: 20, calls: 1500, elapsedMs: 7 * day },
    scheduled: { runs: risk === "high" ? 5 : 3, elapsedMs: day },
  };
}
