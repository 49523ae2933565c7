import type { Execution } from "../../core/call.ts";
import { commandShape, findCommand, findCommandClaims } from "./command-claims.ts";
import { findCountClaims } from "./count-claims.ts";
import type { AnswerToCheck, Claim, EvidenceReport, Verdict } from "./evidence.ts";
import { parseAnswer, type Statement } from "./parse-answer.ts";
import { findPathClaims } from "./path-claims.ts";
import { findQuoteClaims } from "./quote-claims.ts";

/** An answer is read up to here; what models write is far shorter. */
const longestAnswer = 200_000;

/**
 * Matches what an answer says was done to the calls of its run. The same answer and calls always give the same report.
 * What is advice, a plan, a question or plain prose is not judged: what is doubtful is left out rather than marked.
 */
export function checkEvidence({ answer, executions, changedFiles = [] }: AnswerToCheck): EvidenceReport {
  const parsed = parseAnswer(answer.slice(0, longestAnswer));
  const calls = traceCalls(executions);
  return {
    claims: withoutRepeats([
      ...findCommandClaims(parsed, calls),
      ...findPathClaims(parsed.statements, calls, changedFiles),
      ...findCountClaims(parsed.statements, calls),
      ...findExitClaims(parsed.statements, calls),
      ...findQuoteClaims(parsed, calls),
    ]),
  };
}

const order: readonly Verdict[] = ["matched", "partial", "unmatched", "contradicted"];

/** Said twice it is one claim, judged as its worst. */
function withoutRepeats(claims: readonly Claim[]): Claim[] {
  const kept = new Map<string, Claim>();
  for (const claim of claims) {
    const key = `${claim.kind} ${claim.text.toLowerCase()}`;
    const known = kept.get(key);
    if (!known || order.indexOf(claim.verdict) > order.indexOf(known.verdict)) kept.set(key, claim);
  }
  return [...kept.values()];
}

const patterns = [
  /\bexit(?:s|ed|ing)?(?: with)?(?: an?| the)?(?: exit)?(?: code| status)?(?: of| was| is|:)? (\d{1,3})\b/gi,
  /\breturn(?:s|ed) (?:exit )?code (\d{1,3})\b/gi,
  /종료 코드(?:는|가|:)?\s*(\d{1,3})/g,
];

/** Exit codes that an answer names. */
function findExitClaims(statements: readonly Statement[], calls: readonly TracedCall[]): Claim[] {
  // Without a command it is about exit codes in general.
  if (!calls.some(({ command }) => command !== null)) return [];
  return statements.flatMap(({ text, spans }) => {
    const plain = text.replaceAll(/[`*]/g, "");
    const command = spans.find((span) => commandShape(span.text) !== "no")?.text;
    return patterns
      .flatMap((pattern) => [...plain.matchAll(pattern)])
      .map((found) => judge(found[0], Number(found[1]), { command, calls }));
  });
}

function judge(
  text: string,
  code: number,
  { command, calls }: { readonly command: string | undefined; readonly calls: readonly TracedCall[] },
): Claim {
  const claim = (verdict: Verdict, call: TracedCall | undefined, why: string): Claim => ({
    kind: "exit_code",
    text,
    verdict,
    executionId: call?.id ?? null,
    why,
  });
  const ended = calls.filter(({ exitCode }) => exitCode !== null);
  const named = command === undefined ? undefined : findCommand(command, ended)?.call;
  if (named) {
    if (named.exitCode === code) return claim("matched", named, "The command ended so.");
    return claim("contradicted", named, `The command ended with exit code ${named.exitCode}.`);
  }
  const found = ended.findLast(({ exitCode }) => exitCode === code);
  if (found) return claim("matched", found, "A command ended so.");
  const last = ended.at(-1);
  if (last && ended.length === 1)
    return claim("contradicted", last, `The command ended with exit code ${last.exitCode}.`);
  return claim("unmatched", undefined, "No command of this turn ended with this exit code.");
}

/** A call, as far as an answer can speak of it. */
export interface TracedCall {
  readonly id: string;
  readonly tool: string;
  readonly hasRun: boolean;
  readonly isOk: boolean;
  /** The shell command or the code; null for other tools. */
  readonly command: string | null;
  readonly exitCode: number | null;
  /** The file it reads or changes; null when it is not about one. */
  readonly path: string | null;
  readonly isChange: boolean;
  readonly output: string;
  /** All text that went in. */
  readonly input: string;
}

const changing = new Set(["write", "edit"]);

function traceCalls(executions: readonly Execution[]): TracedCall[] {
  return executions.map((execution) => {
    const tool = execution.toolId ?? execution.toolName;
    const input = Object(execution.toolInput) as Readonly<Record<string, unknown>>;
    const command = textOf(input["command"]) ?? (tool === "run_python" ? textOf(input["code"]) : null);
    return {
      id: execution.id,
      tool,
      hasRun: execution.runPhase !== "not_started",
      isOk: execution.state === "completed",
      command,
      exitCode: exitCodeOf(execution),
      path: textOf(input["file_path"]) ?? textOf(input["path"]),
      isChange: changing.has(tool),
      output: outputOf(execution, tool),
      input: textsIn(input, mostLevels).join("\n"),
    };
  });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function exitCodeOf({ result }: Execution): number | null {
  const code = (Object(result?.data) as { readonly exit_code?: unknown }).exit_code;
  return typeof code === "number" ? code : null;
}

function outputOf({ result, error }: Execution, tool: string): string {
  const text = [result?.output ?? "", result?.ok === false ? result.error : (error ?? "")].join("\n");
  // oxlint-disable-next-line no-control-regex -- colours of a terminal
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return tool === "read" ? plain.replaceAll(/^\d+\t/gm, "") : plain;
}

/** No tool takes anything near it, and the stack does not hold what a model can write. */
const mostLevels = 100;

function textsIn(value: unknown, levels: number): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || levels === 0) return [];
  return Object.values(value).flatMap((each) => textsIn(each, levels - 1));
}
