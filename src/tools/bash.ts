import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { Tool } from "../core/tool.ts";
import { askedLimits, runProgram, type Program, type ShellParts } from "./run-program.ts";
import { readyMs, startInBackground } from "./start-in-background.ts";

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
    limits: (input) => (input.background ? { timeoutMs: readyMs(input) + 10_000 } : askedLimits(input)),
    run: (input, context) =>
      input.background
        ? startInBackground(parts, { ...input, program: programOf(input.command) }, context)
        : runProgram(parts, programOf(input.command), context),
  });
}

/** No profile, no rc file: the command means the same on every machine. */
function programOf(command: string): Program {
  return {
    candidates: [
      ["bash", "--noprofile", "--norc", "-c", command],
      ["sh", "-c", command],
    ],
    subject: "Command",
  };
}
