import { cutMiddle, cutText, findMiddle } from "../../core/text.ts";
import type { Execution } from "../../core/call.ts";
import { formatCount } from "./render-history.ts";

export interface ResultOptions {
  /** How much of the output the model gets. */
  readonly maxCharacters: number;
  /** Keeps a text in a file; its path, or null when that can't be done. */
  readonly spill: (text: string) => Promise<string | null>;
}

/** What the model reads of a call that ended: what came of it, and when that went wrong what to do about it. */
export async function formatResult(
  execution: Execution,
  options: ResultOptions,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { state, result, note } = execution;
  const output = await showOutput(execution, options);
  const notes = note === null ? [] : [cutMiddle(note, maxNote)];
  if (state === "completed") {
    return { text: [output === "" ? "(no output)" : output, ...notes].join("\n"), isError: false };
  }
  const hint = result && !result.ok ? result.hint : undefined;
  const lines = [
    `Error: ${asSentence(cutMiddle(execution.error ?? "The call did not complete, and nothing says why.", maxError), execution)}`,
    ...(hint === undefined ? [] : [`Hint: ${cutMiddle(hint, maxError)}`]),
    ...adviceOn(execution),
    ...(output === "" ? [] : [state === "failed" ? "Output:" : "Output until then:", output]),
    ...notes,
  ];
  return { text: lines.join("\n"), isError: true };
}

/** Errors and notes are sentences; one that is a page is somebody's output. */
const maxError = 2_000;
const maxNote = 4_000;

/** Another sentence follows a refusal, and both may be shown in one line. */
function asSentence(error: string, { errorType }: Execution): string {
  return errorType === "denied" && /[\p{L}\p{N})"`']$/u.test(error) ? `${error}.` : error;
}

function adviceOn({ state, errorType, runPhase }: Execution): string[] {
  if (errorType === "denied") {
    return ["It was not run. Do not try to reach the same by another way: do something else, or ask the person."];
  }
  if (errorType === "runtime_lost") return ["Whether it did its work is not known. Look before you repeat it."];
  if (state === "cancelled") {
    return runPhase === "not_started"
      ? ["It was stopped before it started; nothing was changed. Repeat it only if the person wants that."]
      : ["It was stopped while it ran: a part of it may be done. Look at what it left before you repeat it."];
  }
  if (state === "timeout") {
    return [
      "It was stopped: a part of it may be done. Look at what it left, then do less at once, allow it more time, or run it in the background.",
    ];
  }
  return [];
}

async function showOutput(execution: Execution, { maxCharacters, spill }: ResultOptions): Promise<string> {
  const { result } = execution;
  const output = result?.output ?? "";
  if (output.trim() === "") return "";
  if (output.length <= maxCharacters) return output;
  const limit = Math.max(leastCut, maxCharacters);
  const lines = showFirstLines(execution, limit);
  if (lines !== null) return lines;
  const kept = keptFiles(result);
  const cut = isPartial(result) ? cutOnceMore(output, limit) : cutMiddle(output, limit);
  return `${cut}\n${await tellWhere(output, kept, spill)}`;
}

const leastCut = 100;

/**
 * Of a file that was read: as many whole lines as there is room for, and where the next one begins. The middle is not cut: a
 * model that continues where the last line ends would never see what was cut.
 */
function showFirstLines({ toolId, result }: Execution, limit: number): string | null {
  if (toolId !== "read" || !result?.ok) return null;
  const { start_line: first, lines: count, total_lines: total } = (result.data ?? {}) as Record<string, unknown>;
  if (typeof first !== "number" || typeof count !== "number" || count < 1) return null;
  const rows = result.output.split("\n").slice(0, count);
  let [shown, length] = [0, 0];
  while (shown < rows.length && length + rows[shown]!.length + 1 <= limit - roomForNote) {
    length += rows[shown]!.length + 1;
    shown += 1;
  }
  const text = shown > 0 ? rows.slice(0, shown).join("\n") : cutText(rows[0]!, limit - roomForNote);
  const last = first + Math.max(1, shown) - 1;
  const of = typeof total === "number" ? ` of ${formatCount(total)}` : "";
  return `${text}\n[Lines ${first}-${last}${of}. Continue with offset=${last + 1}.]`;
}

const roomForNote = 80;

/**
 * Cuts the middle of an output that its tool had cut before. What is cut now and what was left out then is one gap, with one
 * true number; in bytes where the tool counted bytes.
 */
function cutOnceMore(output: string, limit: number): string {
  let { head, from } = findMiddle(output, limit);
  const notes = [...output.matchAll(/^… \[([\d,]+) (characters|bytes) left out\] …\n/gm)].filter(
    ({ 0: note, index }) => index + note.length > head && index < from,
  );
  for (const { 0: note, index } of notes) {
    head = Math.min(head, index);
    from = Math.max(from, index + note.length);
  }
  const unit = notes.some(([, , each]) => each === "bytes") ? "bytes" : "characters";
  const measure = (text: string): number => (unit === "bytes" ? Buffer.byteLength(text) : text.length);
  const missing = notes.reduce(
    (sum, [note, leftOut]) => sum - measure(note) + Number(leftOut!.replaceAll(",", "")),
    measure(output.slice(head, from)),
  );
  const begin = output.slice(0, head);
  return `${begin}${begin.endsWith("\n") ? "" : "\n"}… [${missing} ${unit} cut] …\n${output.slice(from)}`;
}

function isPartial(result: Execution["result"]): boolean {
  return result?.outputBytes !== undefined && result.outputBytes > Buffer.byteLength(result.output ?? "");
}

/** Files that hold the whole output of a call whose result has only a part of it. Others are files that it changed. */
function keptFiles(result: Execution["result"]): readonly string[] {
  return isPartial(result) ? (result?.files ?? []) : [];
}

async function tellWhere(output: string, kept: readonly string[], spill: ResultOptions["spill"]): Promise<string> {
  const how = "Read it in parts with offset and limit, or search it.";
  const size = formatCount(output.length);
  // The kept files may hold one stream of two: what is cut here is spilled also when there are some.
  const spilled = await spill(output);
  if (kept.length > 0) {
    const shown = spilled === null ? "" : ` What was shown of it before the cut, ${size} characters: ${spilled}.`;
    return `[Cut. The whole output is in ${kept.join(" and ")}.${shown} ${how}]`;
  }
  if (spilled !== null) return `[Cut. The whole output, ${size} characters, is in ${spilled}. ${how}]`;
  return `[Cut. The whole output had ${size} characters and could not be kept: run it again with less output.]`;
}
