import type { Execution, ExecutionState } from "../core/call.ts";
import { formatDuration } from "../core/time.ts";
import type { ProcessNote, StopProof } from "../core/process.ts";
import type { TaskState } from "../core/task.ts";

export interface OutcomeText {
  /** Missing when the call completed. */
  readonly error?: string;
  readonly remarks: readonly string[];
}

const maxListed = 5;

/** What a user should know about a call that has ended, besides its output. */
export function describeOutcome(execution: Execution): OutcomeText {
  const { state, error, result, note } = execution;
  const remarks: string[] = [];
  if (result?.ok === false && result.hint !== undefined) remarks.push(result.hint);
  if (note !== null) remarks.push(note);
  remarks.push(...describeStop(execution), ...describeFiles(execution));
  if (state === "completed") return { remarks };
  return { error: endSentence(error ?? `The call ${statePhrases[state]}`), remarks };
}

/** What follows the subject in a sentence: `call_… timed out`. */
export const statePhrases: Readonly<Record<ExecutionState | TaskState, string>> = {
  pending: "is pending",
  queued: "is queued",
  running: "is running",
  completed: "completed",
  failed: "failed",
  cancelled: "was cancelled",
  timeout: "timed out",
  lost: "was lost",
};

/** What the check for surviving processes found; each is a sentence without its full stop. */
export const proofs: Readonly<Record<StopProof, string>> = {
  namespace: "All its processes are gone: its PID namespace has ended",
  marker:
    "No remaining process found (checked marker, process tree, session and output file; one that escaped all four would go unnoticed)",
  group: "No remaining process found (checked process group and tree; one that left both would go unnoticed)",
  cooperative: "The tool returned after it was asked to stop",
  none: "Could not verify that it stopped; it may still be running",
};

/** How the call was stopped and verified; also which processes a call that ended normally had left running. */
function describeStop({ state, stopCause, stopProof, killed, survivors, durationMs }: Execution): string[] {
  if (stopProof === null) return [];
  const lines: string[] = [];
  const wasStopped = stopCause !== null && (state === "cancelled" || state === "timeout");
  if (wasStopped && durationMs !== null) {
    lines.push(`Stopped after ${formatDuration(durationMs)}. ${proofs[stopProof]}.`);
    if (killed.length > 0) lines.push(`Processes stopped: ${listProcesses(killed)}.`);
  } else if (killed.length > 0) {
    lines.push(`Stopped processes that the call left running: ${listProcesses(killed)}. ${proofs[stopProof]}.`);
  }
  if (survivors.length > 0) lines.push(`Could not be stopped: ${listProcesses(survivors)}.`);
  return lines;
}

function describeFiles({ result }: Execution): string[] {
  const files = result?.files ?? [];
  if (files.length === 0) return [];
  return [`${files.length === 1 ? "File" : "Files"}: ${listSome(files)}`];
}

function listProcesses(processes: readonly ProcessNote[]): string {
  return listSome(processes.map(({ pid, command }) => `${pid} (${command})`));
}

function listSome(items: readonly string[]): string {
  const more = items.length > maxListed ? ` and ${items.length - maxListed} more` : "";
  return items.slice(0, maxListed).join(", ") + more;
}

/** One line that was meant as a sentence; text of several lines may be quoted, and is left as it is. */
function endSentence(text: string): string {
  return text.includes("\n") || /[.!?…:)\]}"']$/.test(text) ? text : `${text}.`;
}
