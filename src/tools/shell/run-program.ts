import type { ToolContext, ToolResult } from "../../core/tool.ts";
import type { Processes } from "../../process/processes.ts";
import { commandResult, type KeepOutput } from "./command-result.ts";
import { locateFolder } from "../search/locate-folder.ts";

/** What the tools that run commands close over. */
export interface ShellParts {
  readonly processes: Processes;
  readonly keepOutput: KeepOutput;
  /** For each of the two streams. */
  readonly maxOutputBytes: number;
  /** What a command would do, as far as that can be proved from its text. */
  readonly analyse?: (command: string) => { readonly isReadOnly: boolean };
  /** Only in strict mode: the words of a command that is allowed there, or why it is not. */
  readonly strict?: StrictShell;
}

export type StrictShell = (command: string, cwd: string) => StrictAnswer | Promise<StrictAnswer>;
type StrictAnswer = { readonly ok: true; readonly argv: Argv } | { readonly ok: false; readonly reason: string };

export type Argv = readonly [string, ...string[]];

export interface Program {
  /** What to run; the first one that exists on this machine. */
  readonly candidates: readonly [Argv, ...Argv[]];
  /** What the result calls it: `Command`, `Python`. */
  readonly subject: string;
  /** The folder to run in. */
  readonly cwd: string;
  /** See `CommandRequest`. */
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end and turns that into a result. Its output can be watched meanwhile. */
export async function runProgram(parts: ShellParts, program: Program, context: ToolContext): Promise<ToolResult> {
  const { executionId, signal } = context;
  const { maxOutputBytes, keepOutput } = parts;
  let notFound: ToolResult | undefined;
  for (const argv of program.candidates) {
    const end = await parts.processes.runCommand({
      argv,
      cwd: program.cwd,
      ...(program.script === undefined ? {} : { script: program.script }),
      env: { ...context.env, ...program.env },
      executionId,
      signal,
      maxOutputBytes,
      onOutput: (stream, output) => context.progress({ stream, output }),
    });
    try {
      if (end.stop) context.stopped(end.stop);
      if (end.sandbox) context.sandboxed(end.sandbox);
      const result = await commandResult(end, { executionId, keepOutput, maxOutputBytes, subject: program.subject });
      if (end.startError?.code !== "ENOENT") return result;
      notFound ??= result;
    } finally {
      await end.discard();
    }
  }
  return notFound!;
}

/** Hands on the folder that the input asks for, or the workdir; refuses one that is outside of it, or none. */
export async function runIn(
  given: string | undefined,
  { workdir }: ToolContext,
  run: (cwd: string) => Promise<ToolResult>,
): Promise<ToolResult> {
  if (given === undefined) return run(workdir);
  const located = await locateFolder(given, { workdir });
  return located.ok ? run(located.path) : located;
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
