import type { RunStatistics } from "../core/run-statistics.ts";

type CallStatistics = Omit<RunStatistics, "toolsUsed">;

/** What was added since; what counts in a row counts as it stands. */
export function statisticsSince(before: RunStatistics, now: RunStatistics): CallStatistics {
  return {
    ...now,
    calls: now.calls - before.calls,
    successes: now.successes - before.successes,
    failures: now.failures - before.failures,
    cancelled: now.cancelled - before.cancelled,
    blockedRepeats: now.blockedRepeats - before.blockedRepeats,
    recoveries: now.recoveries - before.recoveries,
  };
}
