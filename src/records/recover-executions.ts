import type { Clock } from "../core/clock.ts";
import type { ExecutionStore } from "../core/call-store.ts";
import type { Execution } from "../core/call.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import type { StopReport } from "../core/stop-report.ts";

/**
 * Ends the executions that a runtime left behind when it died. Whether their work was done can't be known, so the
 * record says so instead of guessing; what still ran of them was ended before this is called.
 */
export async function recoverExecutions(options: {
  readonly store: ExecutionStore;
  readonly clock: Clock;
  readonly isAlive: (identity: ProcessIdentity) => boolean;
  readonly reaped: ReadonlyMap<string, StopReport>;
}): Promise<Execution[]> {
  const { store, clock, isAlive, reaped } = options;
  const underWay = await store.list({ states: ["pending", "running"], limit: 10_000 });
  const lost = underWay.filter(({ owner }) => owner !== null && !isAlive(owner));
  if (lost.length === 0) return [];
  const now = clock.now();
  const ended = lost.map((execution) => endLost(execution, now, reaped.get(execution.id)));
  await store.save(ended);
  return ended;
}

function endLost(execution: Execution, now: number, report: StopReport | undefined): Execution {
  const ran = execution.state === "running";
  return {
    ...execution,
    state: "failed",
    // The intent was recorded, and what came after it can't be known: never claim that nothing was done.
    runPhase: ran ? "started" : "not_started",
    error: ran
      ? "Outcome unknown: the runtime that ran this call ended before the call did"
      : "Not run: the runtime ended while this call was waiting",
    errorType: "runtime_lost",
    completedAt: now,
    durationMs: execution.startedAt === null ? null : Math.max(0, now - execution.startedAt),
    stopProof: report?.proof ?? execution.stopProof,
    killed: report?.killed ?? execution.killed,
    survivors: report?.survivors ?? execution.survivors,
  };
}
