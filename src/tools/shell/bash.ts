import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Resource } from "../../core/resource.ts";
import type { Tool } from "../../core/tool.ts";
import { failure, type Failure } from "../failure.ts";
import { askedLimits, runIn, runProgram, type Program, type ShellParts } from "./run-program.ts";
import { runStrict } from "./run-strict.ts";
import { readyMs, startInBackground } from "./start-in-background.ts";

const bashInput = z.object({
  command: z.string().min(1),
  timeout: z.number().positive().optional().describe("Seconds, default 120"),
  timeout_ms: z.number().positive().optional(),
  cwd: z.string().min(1).optional().describe("Folder to run in, default the workdir"),
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
    resources: ({ command, background }): Resource[] => {
      const isReadOnly = !background && parts.analyse?.(command).isReadOnly === true;
      return [{ kind: "everything", access: isReadOnly ? "read" : "write" }];
    },
    preview: ({ command, cwd }) =>
      Promise.resolve({ text: cwd === undefined ? command : `${command}\n(in the folder ${cwd})` }),
    limits: (input) => (input.background ? { timeoutMs: readyMs(input) + 10_000 } : askedLimits(input)),
    run: (input, context) =>
      runIn(input.cwd, context, async (cwd) => {
        const { strict } = parts;
        const program = programOf(input.command, cwd);
        if (input.background && !strict) return startInBackground(parts, { ...input, program }, context);
        const problem = input.background ? undefined : foregroundProblem(input);
        if (problem) return problem;
        return strict
          ? runStrict({ ...parts, strict }, { ...input, cwd }, context)
          : runProgram(parts, program, context);
      }),
  });
}

/** What means something only to a background process must not be dropped in silence: the command would be waited for. */
function foregroundProblem(input: BashInput): Failure | undefined {
  const given = (["ready_text", "ready_port", "keep_running"] as const).filter((name) => input[name]);
  if (given.length === 0) return undefined;
  return failure("invalid_input", `${given.join(" and ")} also needs background: true`);
}

/** No profile, no rc file: the command means the same on every machine. */
function programOf(command: string, cwd: string): Program {
  return {
    candidates: [
      ["bash", "--noprofile", "--norc", "-c", command],
      ["sh", "-c", command],
    ],
    subject: "Command",
    cwd,
  };
}
