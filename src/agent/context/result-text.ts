import { cutMiddle } from "../../core/cut-text.ts";
import type { Execution } from "../../core/execution.ts";
import { formatCount } from "./format-count.ts";

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

async function showOutput({ result }: Execution, { maxCharacters, spill }: ResultOptions): Promise<string> {
  const output = result?.output ?? "";
  if (output.trim() === "") return "";
  if (output.length <= maxCharacters) return output;
  const cut = cutMiddle(output, Math.max(leastCut, maxCharacters));
  return `${cut}\n${await tellWhere(output, keptFiles(result), spill)}`;
}

const leastCut = 100;

/** Files that hold the whole output of a call whose result has only a part of it. Others are files that it changed. */
function keptFiles(result: Execution["result"]): readonly string[] {
  if (result?.outputBytes === undefined || result.files === undefined) return [];
  return result.outputBytes > Buffer.byteLength(result.output ?? "") ? result.files : [];
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
