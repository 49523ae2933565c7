import { RuntimeError } from "../../../src/core/errors.ts";
import { fromWire } from "../../../src/core/wire.ts";
import { scriptSchema } from "./script-schema.ts";
import type { Script, ScriptCall, ScriptPart, ScriptTurn } from "./script.ts";
import { tellIssue } from "./tell-issue.ts";

/** A script as a file has it. Throws MODEL_INVALID with one sentence that names the place, what was expected and what came. */
export function checkScript(value: unknown, source: string): CheckedScript {
  const parsed = scriptSchema.safeParse(value);
  if (!parsed.success) throw invalid(source, tellIssues(parsed.error.issues, value));
  const { $schema: _editorsOnly, ...rest } = parsed.data;
  const script = fromWire(rest) as CheckedScript;
  for (const [index, turn] of script.turns.entries()) {
    const problem = problemOfTurn(turn);
    if (problem !== undefined) throw invalid(source, `turns[${index}]${problem.startsWith(".") ? "" : " "}${problem}`);
  }
  const endsWithFailure = onlyFails(script.turns.at(-1)!);
  if (endsWithFailure && script.atEnd !== undefined && script.atEnd !== "fail") {
    throw invalid(
      source,
      `the last turn only fails, so at_end "${script.atEnd}" has nothing to go on with; add a turn`,
    );
  }
  return script;
}

export interface CheckedScript extends Script {
  readonly turns: readonly ScriptTurn[];
}

export function invalid(source: string, problem: string, options?: ErrorOptions): RuntimeError {
  return new RuntimeError("MODEL_INVALID", `${source} is not a script of a model: ${problem}.`, options);
}

/** It stands for a failure in front of the next turn. */
export function onlyFails(turn: ScriptTurn): boolean {
  return turn.fail !== undefined && !hasContent(turn);
}

/** Many mistakes in one file are often one mistake. */
const toldIssues = 3;

function tellIssues(issues: Parameters<typeof tellIssue>[0][], value: unknown): string {
  const more = issues.length - toldIssues;
  const told = issues.slice(0, toldIssues).map((issue) => tellIssue(issue, value));
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function hasContent({ thinking, text, calls, parts }: ScriptTurn): boolean {
  return [thinking, text, calls, parts].some((each) => each !== undefined);
}

function problemOfTurn(turn: ScriptTurn): string | undefined {
  const { thinking, text, calls, parts, fail, cut, expect } = turn;
  if (parts && (thinking ?? text ?? calls) !== undefined) {
    return `has "parts" and also "thinking", "text" or "calls"; use either`;
  }
  if (!hasContent(turn) && !fail)
    return `says nothing; give it "text" ("" for an empty reply), "calls", "parts" or "fail"`;
  if (fail && cut) return `has both "fail" and "cut"; use one, or two turns`;
  if (fail && fail.kind === undefined && fail.status === undefined) {
    return `.fail needs a "kind", such as "rate_limit", or a "status", such as 429`;
  }
  const all = partsOf(turn);
  if (cut && !all.some(isSaid)) return `is cut, but has no part that could be cut; give it a "text" or "calls"`;
  if (fail?.after !== undefined && fail.after > all.length) {
    return `.fail.after is ${fail.after}, but the turn has ${all.length} ${all.length === 1 ? "part" : "parts"}`;
  }
  if (expect && expect.contains === undefined && expect.toolResult === undefined) {
    return `.expect needs "contains" or "tool_result"`;
  }
  for (const [index, part] of all.entries()) {
    const problem = problemOfPart(part);
    if (problem !== undefined) return `${parts ? `.parts[${index}]` : ".calls"} ${problem}`;
  }
  return undefined;
}

/** What it says, in order. */
export function partsOf({ thinking, text, calls, parts }: ScriptTurn): readonly ScriptPart[] {
  if (parts) return parts;
  return [
    ...(thinking === undefined ? [] : [{ thinking }]),
    ...(text === undefined ? [] : [{ text }]),
    ...((calls ?? []) satisfies readonly ScriptCall[]),
  ];
}

export function isSaid({ text, thinking, tool }: ScriptPart): boolean {
  return (text ?? thinking ?? tool ?? "") !== "";
}

function problemOfPart(part: ScriptPart): string | undefined {
  const kinds = (["text", "thinking", "tool"] as const).filter((key) => part[key] !== undefined);
  if (kinds.length > 1) return `has ${kinds.map((key) => `"${key}"`).join(" and ")}; make them parts of their own`;
  if (part.input !== undefined && part.inputText !== undefined) return `has both "input" and "input_text"; use one`;
  const isCall = [part.tool, part.input, part.inputText, part.id].some((each) => each !== undefined);
  if (isCall && part.tool === undefined) return `has no "tool"`;
  if (part.thinking === undefined && part.signature !== undefined) return `has a "signature", but no "thinking"`;
  if (kinds.length === 0 && part.pauseMs === undefined) {
    return `is empty; give it "text", "thinking", "tool" or "pause_ms"`;
  }
  return undefined;
}
