import { clipText, cutText } from "../core/text.ts";
import { assertTransition, type Execution, type FinalState } from "../core/call.ts";
import type { End } from "./call-end.ts";
import { notifySettled } from "./notify-observers.ts";
import type { EngineOptions } from "./engine-deps.ts";
import type { ActiveCall } from "./prepare-call.ts";

/** Step 7: one final state, counted and recorded. Every call leaves by this door, exactly once. Gives what may be told of it. */
export async function settleCall(options: EngineOptions, active: ActiveCall, end: End): Promise<Execution> {
  const { record, control, tool } = active;
  assertTransition(record.state, end.state);
  record.state = end.state;
  if (end.runPhase) record.runPhase = end.runPhase;
  record.result = end.result;
  record.error = end.error;
  record.errorType = end.errorType;
  record.completedAt = options.clock.now();
  record.outputBytes = countOutput(end);
  record.stopCause = control.cause;
  if (end.report) {
    record.stopProof = end.report.proof;
    record.killed = end.report.killed;
    record.survivors = end.report.survivors;
  }
  active.commit();

  const told = options.mask.execution(record);
  const committed = notifySettled(options, told, tool?.traits.replay ?? "safe");
  if (committed) await committed;
  return told;
}

/** The last word about a call, after all that can be asked about it is in place. */
export function announceEnd(options: EngineOptions, told: Execution, state: FinalState): void {
  options.emit("execution:settled", {
    id: told.id,
    toolName: told.toolName,
    toolId: told.toolId,
    state,
    runPhase: told.runPhase,
    error: told.error,
    errorType: told.errorType,
    durationMs: told.durationMs,
    summary: clipText(told.result?.output ?? "", 200),
  });
}

/** Counts the outcome for the failure guard and the statistics; says when too many errors came in a row. */
export function countOutcome(options: EngineOptions, active: ActiveCall): void {
  const { record, conversation, tool } = active;
  const { guard, tally } = conversation;
  const mutating = changesSomething(active);
  conversation.underWay -= 1;
  // Calls that overlap did not know of each other's failures when they started; in the model's order they do.
  record.attempt = guard.failuresOf(active.signature).count + 1;
  if (record.state === "completed") guard.succeeded(active.signature, mutating);
  else if (countsAsFailure(record)) guard.failed(active.signature(), record.error ?? "");
  tally.add(record, { readOnly: tool?.traits.readOnly ?? false, mutating });
  const { maxRetry } = options.limits;
  const failed = record.state === "failed" || record.state === "timeout";
  if (failed && maxRetry > 0 && tally.read().consecutiveErrors > maxRetry) {
    const told = `[FAILED after retries] ${cutText(record.error ?? "", 500)}`;
    record.note = record.note === null ? told : `${told}\n${record.note}`;
  }
}

function countsAsFailure({ state, errorType }: Execution): boolean {
  if (state === "timeout") return true;
  return state === "failed" && errorType !== "repeated_failure" && errorType !== "store";
}

function changesSomething({ tool, resources }: ActiveCall): boolean {
  if (!tool || tool.traits.readOnly) return false;
  return resources().some(({ access }) => access === "write");
}

function countOutput({ result }: End): number {
  if (!result) return 0;
  return result.outputBytes ?? Buffer.byteLength(result.output ?? "");
}
