import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { Tool, ToolContext } from "../core/tool.ts";
import type { Processes } from "../process/processes.ts";
import { commandResult, type KeepOutput } from "./command-result.ts";
import { readyMs, startInBackground } from "./start-in-background.ts";

export interface ShellParts {
  readonly processes: Processes;
  readonly keepOutput: KeepOutput;
  readonly maxOutputBytes: number;
}

const bashInput = z.object({
  command: z.string().min(1),
  timeout: z.number().positive().optional().describe("Seconds, default 120"),
  timeout_ms: z.number().positive().optional(),
  background: z.boolean().optional().describe("Start it and go on, e.g. a dev server"),
  ready_text: z.string().min(1).optional().describe("Background: wait for this literal text in its output"),
  ready_port: z.number().int().min(1).max(65_535).optional().describe("Background: wait for this local port"),
  keep_running: z.boolean().optional().describe("Background: let it outlive this program"),
});

export type BashInput = z.output<typeof bashInput>;

export function createBashTool(parts: ShellParts): Tool<BashInput> {
  return defineTool({
    name: "bash",
    description:
      "Run a bash command in the workdir. Stdin is closed. Nothing it starts outlives it, except with background. Long output is cut in the middle and kept in a file.",
    traits: { readOnly: false, risk: "high", category: "shell", replay: "never" },
    timeoutMs: 120_000,
    // TERM, a grace of 2 s, KILL, and at most 10 s of looking for what is left.
    stopMs: 15_000,
    input: bashInput,
    limits: (input) => (input.background ? { timeoutMs: readyMs(input) + 10_000 } : limitsOf(input)),
    run: (input, context) =>
      input.background ? startInBackground(parts, input, context) : runBash(parts, input, context),
  });
}

export function limitsOf(input: { timeout?: number | undefined; timeout_ms?: number | undefined }): {
  timeoutMs?: number;
} {
  const timeoutMs = input.timeout_ms ?? (input.timeout === undefined ? undefined : input.timeout * 1000);
  return timeoutMs === undefined ? {} : { timeoutMs };
}

/** No profile, no rc file: the command means the same on every machine. */
export function bashArgv(command: string): readonly [string, ...string[]] {
  return ["bash", "--noprofile", "--norc", "-c", command];
}

async function runBash(
  parts: ShellParts,
  { command }: BashInput,
  context: ToolContext,
): ReturnType<typeof commandResult> {
  const { executionId, workdir: cwd, env, signal } = context;
  const { maxOutputBytes, keepOutput } = parts;
  const end = await parts.processes.runCommand({
    argv: bashArgv(command),
    cwd,
    env,
    executionId,
    signal,
    maxOutputBytes,
    onOutput: (stream, output) => context.progress({ stream, output }),
  });
  if (end.stop) context.stopped(end.stop);
  try {
    return await commandResult(end, { executionId, keepOutput, maxOutputBytes, subject: "Command" });
  } finally {
    await end.discard();
  }
}
