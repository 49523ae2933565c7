import { cutMiddle } from "../core/text.ts";
import type { Execution } from "../core/call.ts";
import type { ProcessNote } from "../core/process.ts";
import type { ToolResult } from "../core/tool.ts";
import { longestText, toPortable } from "./portable-value.ts";

/**
 * The record as stores keep it: a copy that JSON can carry and that stays small whatever a tool was given or returned.
 * `result.files` points to what was cut.
 */
export function boundExecution(execution: Execution): Execution {
  return {
    ...execution,
    toolName: boundText(execution.toolName),
    toolInput: toPortable(execution.toolInput),
    result: execution.result && boundResult(execution.result),
    error: execution.error && boundText(execution.error),
    errorType: execution.errorType && boundText(execution.errorType),
    note: execution.note && boundText(execution.note),
    killed: boundNotes(execution.killed),
    survivors: boundNotes(execution.survivors),
  };
}

export function boundText(text: string): string {
  return cutMiddle(text, longestText);
}

export function boundResult(result: ToolResult): ToolResult {
  const bounded: { -readonly [Key in keyof ToolResult]: ToolResult[Key] } = { ...result };
  if (result.output !== undefined) bounded.output = boundText(result.output);
  if (result.data !== undefined) bounded.data = toPortable(result.data);
  if (result.files !== undefined) bounded.files = toPortable(result.files) as string[];
  if (result.ok) return bounded as ToolResult;
  const { error, hint } = result;
  return { ...bounded, ok: false, error: boundText(error), ...(hint !== undefined && { hint: boundText(hint) }) };
}

/** One fork bomb must not fill the store. */
const mostNotes = 200;
const longestCommand = 1000;

export function boundNotes(notes: readonly ProcessNote[]): readonly ProcessNote[] {
  if (notes.length === 0) return notes;
  return notes.slice(0, mostNotes).map(({ pid, command }) => ({ pid, command: cutMiddle(command, longestCommand) }));
}
