import type { ToolResult } from "../../../core/tool.ts";

/** An input to try a version with. */
export interface ReplayCase {
  /** Of a case of the spec, or the execution that recorded it. */
  readonly name: string;
  readonly input: unknown;
  /** Text that the output must have; left out: it must only succeed. */
  readonly expect?: string;
  /** It must fail, and the error must have this text. */
  readonly expectError?: string;
}

/** One version of the tool, to be tried. */
export interface CaseRunner {
  /** Starts what it runs in, so that the limit of a case is for the tool alone. Never rejects. */
  prepare(input: unknown): Promise<void>;
  /** Never rejects; settles soon after the signal. */
  run(input: unknown, signal: AbortSignal): Promise<CaseRun>;
}

export interface CaseRun {
  readonly result: ToolResult;
  /** It wanted a person's answer, and nobody was there. */
  readonly hasAsked: boolean;
}

export type CaseEnd =
  | { readonly state: "passed" }
  | { readonly state: "failed"; readonly error: string }
  /** Nothing can be said: it needs a person. */
  | { readonly state: "asked" }
  | { readonly state: "timeout"; readonly afterMs: number };

/** What a run that came to its end says about the case. */
export function judgeRun({ expect, expectError }: ReplayCase, { result, hasAsked }: CaseRun): CaseEnd {
  if (hasAsked) return { state: "asked" };
  if (expectError !== undefined) {
    if (result.ok) return failed(`It succeeded; expected an error with the text ${quote(expectError)}.`);
    if (result.error.includes(expectError)) return { state: "passed" };
    return failed(`Expected an error with the text ${quote(expectError)}; got ${quote(result.error)}.`);
  }
  if (!result.ok) return failed(result.error);
  if (expect === undefined || result.output.includes(expect)) return { state: "passed" };
  return failed(`Expected an output with the text ${quote(expect)}; got ${quote(result.output)}.`);
}

/** Why it did not pass, in one sentence. */
export function describeEnd(end: Exclude<CaseEnd, { readonly state: "passed" }>): string {
  if (end.state === "failed") return end.error;
  if (end.state === "asked") return "It asks a person, which the stable version does not.";
  return `It took longer than ${end.afterMs / 1000} s.`;
}

function failed(error: string): CaseEnd {
  return { state: "failed", error };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
