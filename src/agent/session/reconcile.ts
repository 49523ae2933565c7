import { messageOf } from "../../core/errors.ts";
import { isFinal, type Execution } from "../../core/call.ts";
import { callsOf, type CallPart, type CallResult } from "../../core/message.ts";
import type { Session, SessionEntry } from "../../core/session.ts";
import type { Replay } from "../../core/tool.ts";
import { unwrapBridge } from "../selection/bridge-tools.ts";

export interface ReconcileOptions {
  readonly lookUp: (executionId: string) => Promise<Execution | undefined>;
  /** What to do with a call of this tool, by the name the model used; "never" for a tool that is not known. */
  readonly replayOf: (tool: string) => Replay;
  readonly rerun: (call: CallPart) => Promise<CallResult>;
  /** What the model is told of an execution that has ended. */
  readonly format: (execution: Execution, call: CallPart) => CallResult | Promise<CallResult>;
}

export interface Reconciliation {
  /** In the order of the reply. */
  readonly calls: readonly ReconciledCall[];
  /** Those of them that a person should look at. */
  readonly unknown: readonly ReconciledCall[];
}

/**
 * - `finished`: its outcome was recorded
 * - `not_run`: it had not started
 * - `repeated`: it was interrupted, and run again because that is safe
 * - `unknown`: it may or may not have had its effect, and was not repeated
 */
export interface ReconciledCall {
  readonly call: CallPart;
  readonly executionId: string | null;
  readonly outcome: "finished" | "not_run" | "repeated" | "unknown";
}

/**
 * Answers the calls of a reply that a crash left without results. Nothing that could have an effect is run, and the results
 * are one entry: whoever is killed before it is written can do all of this again.
 */
export async function reconcileSession(session: Session, options: ReconcileOptions): Promise<Reconciliation> {
  const calls: ReconciledCall[] = [];
  const results: CallResult[] = [];
  for (const open of findOpenCalls(session.branch)) {
    const { outcome, result } = await settle(open, options);
    calls.push({ ...open, outcome });
    results.push(result);
  }
  if (results.length > 0) session.append({ type: "results", results });
  return { calls, unknown: calls.filter(({ outcome }) => outcome === "unknown") };
}

interface OpenCall {
  readonly call: CallPart;
  /** Null when it was not even sent on its way. */
  readonly executionId: string | null;
}

function findOpenCalls(branch: readonly SessionEntry[]): OpenCall[] {
  const at = branch.findLastIndex(({ type }) => type === "assistant");
  const reply = branch[at];
  if (reply?.type !== "assistant") return [];
  const answered = countBy(branch.slice(at + 1).flatMap((entry) => (entry.type === "results" ? entry.results : [])));
  const sent = sentCalls(branch, at);
  const calls = callsOf(reply.parts);
  // A model may use one id for several calls: then they are told apart by their order.
  const wanted = countBy(calls);
  return calls.flatMap((call) => {
    const { callId } = call;
    const remaining = take(wanted, callId);
    const executions = sent.get(callId) ?? [];
    const executionId = executions[executions.length - remaining] ?? null;
    return take(answered, callId) > 0 ? [] : [{ call, executionId }];
  });
}

/** The executions of the reply at this place by the model's ids, also of calls that started before the reply ended. */
function sentCalls(branch: readonly SessionEntry[], at: number): Map<string, string[]> {
  const before = branch.slice(0, at).findLastIndex(({ type }) => ["user", "assistant", "results"].includes(type));
  const sent = new Map<string, string[]>();
  for (const entry of branch.slice(before + 1)) {
    if (entry.type === "call") sent.set(entry.callId, [...(sent.get(entry.callId) ?? []), entry.executionId]);
  }
  return sent;
}

async function settle(
  { call, executionId }: OpenCall,
  { lookUp, replayOf, rerun, format }: ReconcileOptions,
): Promise<{ outcome: ReconciledCall["outcome"]; result: CallResult }> {
  const execution = executionId === null ? undefined : await lookUp(executionId);
  if (executionId === null || (execution && isLost(execution) && !mayHaveRun(execution))) {
    return { outcome: "not_run", result: tell(call, notRun) };
  }
  if (execution && !isLost(execution)) return { outcome: "finished", result: await format(execution, call) };
  // Sent, and no record of it: that may have been removed since, so nothing says that it did not run.
  if (replayOf(unwrapBridge(call).tool) === "safe") return { outcome: "repeated", result: await repeat(call, rerun) };
  return { outcome: "unknown", result: tell(call, outcomeUnknown) };
}

function isLost({ state, errorType }: Execution): boolean {
  return errorType === "runtime_lost" || !isFinal(state);
}

/** `running` is recorded before the tool is entered: whether it was, nobody can say. */
function mayHaveRun({ state, runPhase }: Execution): boolean {
  return state === "running" || (state !== "pending" && runPhase !== "not_started");
}

async function repeat(call: CallPart, rerun: ReconcileOptions["rerun"]): Promise<CallResult> {
  try {
    return await rerun(call);
  } catch (thrown) {
    return tell(call, `Error: it was interrupted and could not be run again (${messageOf(thrown)}).`);
  }
}

const notRun = "Not run: the session ended before it started.";
const outcomeUnknown =
  "Outcome unknown: the session ended while this call was running, so it may or may not have had its effect. Look at what is there now before you repeat it.";

function tell({ callId, tool }: CallPart, text: string): CallResult {
  return { callId, tool, text, isError: true };
}

function countBy(items: readonly { readonly callId: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { callId } of items) counts.set(callId, (counts.get(callId) ?? 0) + 1);
  return counts;
}

/** How many there were before one was taken. */
function take(counts: Map<string, number>, callId: string): number {
  const present = counts.get(callId) ?? 0;
  if (present > 0) counts.set(callId, present - 1);
  return present;
}
