import type { Execution } from "./execution.ts";
import type { Replay } from "./tool.ts";

/**
 * The only thing in the way of a call: what it writes is the evidence.
 *
 * A call that is not `safe` to replay is committed before it runs and again before its outcome is told.
 * A safe one may be written up to 20 ms later, because losing the row of a read that a crash interrupted costs nothing.
 * Both methods return nothing when there is nothing to wait for.
 */
export interface Ledger {
  /** Notes a call that waits for a person, so that others can see and cancel it. Never rejects. */
  waiting(execution: Execution): void;
  /** Rejects when the intent can't be recorded: then the call must not run. */
  opened(execution: Execution, replay: Replay): Promise<void> | undefined;
  /** Rejects when the outcome can't be recorded: the outcome stands, and the failure is told as an event. */
  settled(execution: Execution, replay: Replay): Promise<void> | undefined;
  /** Resolves once all that was handed over is written. */
  flush(): Promise<void>;
}
