import type { Execution, RunStatistics } from "../core/call.ts";

export interface Tally {
  add(execution: Execution, call: { readonly readOnly: boolean; readonly mutating: boolean }): void;
  read(): RunStatistics;
}

/** Counts one conversation's calls, in the order in which the model asked for them. */
export function createTally(): Tally {
  const counts = {
    calls: 0,
    successes: 0,
    failures: 0,
    cancelled: 0,
    consecutiveReadOnlySuccesses: 0,
    consecutiveNonMutatingSuccesses: 0,
    consecutiveErrors: 0,
    blockedRepeats: 0,
    recoveries: 0,
  };
  const toolsUsed = new Set<string>();
  let recoveryPending = false;

  return {
    add(execution, { readOnly, mutating }) {
      counts.calls += 1;
      if (execution.toolId !== null) toolsUsed.add(execution.toolId);
      if (execution.errorType === "repeated_failure") counts.blockedRepeats += 1;
      if (execution.state === "completed") {
        counts.successes += 1;
        counts.consecutiveErrors = 0;
        counts.consecutiveReadOnlySuccesses = readOnly ? counts.consecutiveReadOnlySuccesses + 1 : 0;
        counts.consecutiveNonMutatingSuccesses = mutating ? 0 : counts.consecutiveNonMutatingSuccesses + 1;
        if (recoveryPending) counts.recoveries += 1;
        recoveryPending = false;
      } else if (execution.state === "cancelled") {
        counts.cancelled += 1;
      } else {
        counts.failures += 1;
        counts.consecutiveErrors += 1;
        counts.consecutiveReadOnlySuccesses = 0;
        counts.consecutiveNonMutatingSuccesses = 0;
        recoveryPending = true;
      }
    },
    read: () => ({ ...counts, toolsUsed: [...toolsUsed] }),
  };
}
