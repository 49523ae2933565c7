import type { Execution } from "../core/execution.ts";
import type { ProcessNote, StopProof } from "../core/stop-report.ts";
import { formatDuration } from "../core/format-time.ts";

export interface OutcomeText {
  /** Missing when the call completed. */
  readonly error?: string;
  readonly remarks: readonly string[];
}

/** What a person should know about a call that is over, beside its output. */
export function describeOutcome(execution: Execution): OutcomeText {
  const { state, error, result, note } = execution;
  const remarks: string[] = [];
  if (result?.ok === false && result.hint !== undefined) remarks.push(result.hint);
  if (note !== null) remarks.push(note);
  remarks.push(...describeStop(execution), ...describeFiles(execution));
  return state === "completed" ? { remarks } : { error: endSentence(error ?? `The call ended as ${state}`), remarks };
}

/** How it was stopped and how that was proved; also what a command that ended by itself had left behind. */
function describeStop({ state, stopCause, stopProof, killed, survivors, durationMs }: Execution): string[] {
  if (stopProof === null) return [];
  const lines: string[] = [];
  const wasStopped = stopCause !== null && (state === "cancelled" || state === "timeout");
  if (wasStopped && durationMs !== null)
    lines.push(`Stopped after ${formatDuration(durationMs)}; ${proofs[stopProof]}.`);
  else if (killed.length > 0) lines.push(`It left processes behind, which were ended; ${proofs[stopProof]}.`);
  if (killed.length > 0) lines.push(`Killed: ${list(killed)}.`);
  if (survivors.length > 0) lines.push(`Still alive although it was killed: ${list(survivors)}.`);
  return lines;
}

export const proofs: Record<StopProof, string> = {
  namespace: "nothing of it still runs: its PID namespace is gone, and every process with it",
  marker:
    "no process of it was found: none carries its mark, belongs to its tree or session, or writes to its output (one that shed all of these could not be seen)",
  group: "no process of it was found: none is left in its group and tree (one that left both could not be seen)",
  cooperative: "it returned after it was told to stop",
  none: "there is no proof that it stopped: it may still be running",
};

function describeFiles({ result }: Execution): string[] {
  const files = result?.files ?? [];
  if (files.length === 0) return [];
  const shown = files.slice(0, 5).join(", ");
  return [
    `${files.length === 1 ? "File" : "Files"}: ${shown}${files.length > 5 ? ` and ${files.length - 5} more` : ""}`,
  ];
}

function list(processes: readonly ProcessNote[]): string {
  const shown = processes.slice(0, 5).map(({ pid, command }) => `${pid} (${command})`);
  return shown.join(", ") + (processes.length > 5 ? ` and ${processes.length - 5} more` : "");
}

/** One line that was meant as a sentence; text of several lines may be quoted, and is left as it is. */
function endSentence(text: string): string {
  return text.includes("\n") || /[.!?…:)\]}"']$/.test(text) ? text : `${text}.`;
}
