import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Emit } from "../core/events.ts";
import type { ExecutionStore } from "../core/call-store.ts";
import type { CallObserver } from "../core/call-observer.ts";
import type { Processes } from "../process/processes.ts";
import { recoverExecutions } from "../records/recover-executions.ts";

/** Ends what runtimes that died have left running, and says in the records what became of their calls. */
export async function recoverRuntime(parts: {
  readonly processes: Processes;
  readonly store: ExecutionStore;
  readonly observers: readonly CallObserver[];
  readonly clock: Clock;
  readonly emit: Emit;
  readonly warn: (sentence: string) => void;
}): Promise<void> {
  const { processes, store, clock, emit } = parts;
  try {
    const reaped = await processes.reapAbandoned();
    for (const { executionId, stop } of reaped) {
      emit("process:reaped", { executionId, pids: stop.killed.map(({ pid }) => pid) });
    }
    const reports = new Map(reaped.map(({ executionId, stop }) => [executionId, stop]));
    const isAlive = processes.isAlive.bind(processes);
    const ended = await recoverExecutions({ store, clock, isAlive, reaped: reports });
    // The store has them; the log and the rollouts are to know how they ended as well.
    for (const call of ended) for (const observer of parts.observers) await observer.settled?.(call, "safe");
  } catch (thrown) {
    parts.warn(`What an earlier run left behind could not be looked at: ${messageOf(thrown)}`);
  }
}
