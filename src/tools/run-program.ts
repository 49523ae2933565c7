import type { ToolContext, ToolResult } from "../core/tool.ts";
import type { Processes } from "../process/processes.ts";
import { commandResult, type KeepOutput } from "./command-result.ts";

/** What the tools that run commands close over. */
export interface ShellParts {
  readonly processes: Processes;
  readonly keepOutput: KeepOutput;
  /** For each of the two streams. */
  readonly maxOutputBytes: number;
}

type Argv = readonly [string, ...string[]];

export interface Program {
  /** What to run; the first one that exists on this machine. */
  readonly candidates: readonly [Argv, ...Argv[]];
  /** What the result calls it: `Command`, `Python`. */
  readonly subject: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end and turns that into a result. Its output can be watched meanwhile. */
export async function runProgram(parts: ShellParts, program: Program, context: ToolContext): Promise<ToolResult> {
  const { executionId, workdir: cwd, signal } = context;
  const { maxOutputBytes, keepOutput } = parts;
  let notFound: ToolResult | undefined;
  for (const argv of program.candidates) {
    const end = await parts.processes.runCommand({
      argv,
      cwd,
      env: { ...context.env, ...program.env },
      executionId,
      signal,
      maxOutputBytes,
      onOutput: (stream, output) => context.progress({ stream, output }),
    });
    try {
      if (end.stop) context.stopped(end.stop);
      const result = await commandResult(end, { executionId, keepOutput, maxOutputBytes, subject: program.subject });
      if (end.startError?.code !== "ENOENT") return result;
      notFound ??= result;
    } finally {
      await end.discard();
    }
  }
  return notFound!;
}

/** The limit that the input asks for, in whichever unit. */
export function askedTimeoutMs(input: {
  timeout?: number | undefined;
  timeout_ms?: number | undefined;
}): number | undefined {
  return input.timeout_ms ?? (input.timeout === undefined ? undefined : input.timeout * 1000);
}

/** The same, as a tool's `limits`. */
export function askedLimits(input: Parameters<typeof askedTimeoutMs>[0]): { readonly timeoutMs?: number } {
  const timeoutMs = askedTimeoutMs(input);
  return timeoutMs === undefined ? {} : { timeoutMs };
}
