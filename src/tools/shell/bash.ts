import { realpathSync } from "node:fs";
import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Resource, Tool, ToolContext, ToolResult } from "../../core/tool.ts";
import type { Readiness } from "../../process/background/readiness.ts";
import type { BackgroundRequest, BackgroundStart } from "../../process/background/start-background.ts";
import { failure, type Failure } from "../failure.ts";
import { errorTypeOfStart } from "./command-result.ts";
import {
  askedLimits,
  askedTimeoutMs,
  type Program,
  runIn,
  runProgram,
  type ShellParts,
  type StrictShell,
} from "./run-program.ts";

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

export interface StrictOrder {
  readonly command: string;
  readonly cwd: string;
  readonly background?: boolean | undefined;
}

/** Runs the words of a command without any shell, and only a program of the system: nothing gives them another meaning. */
async function runStrict(
  parts: ShellParts & { readonly strict: StrictShell },
  { command, cwd, background }: StrictOrder,
  context: ToolContext,
): Promise<ToolResult> {
  if (background) return refused("background processes are not allowed");
  const judged = await parts.strict(command, cwd);
  if (!judged.ok) return refused(judged.reason);
  const [name] = judged.argv;
  if (name.includes("/")) return refused(`a program is named without its folder, got ${JSON.stringify(name)}`);
  const program = { candidates: [judged.argv], subject: "Command", cwd, env: { PATH: systemPath(context) } } as const;
  return runProgram(parts, program, context);
}

function refused(reason: string): ToolResult {
  const said = reason.replace(/\.$/, "");
  return failure("denied", `Refused in strict mode: ${said}.`, "Use one plain command with paths inside the workdir.");
}

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Without folders that commands can write to: what lies there is not the system's. */
function systemPath({ workdir }: ToolContext): string {
  const root = resolveQuietly(workdir);
  return systemFolders.filter((folder) => !`${resolveQuietly(folder)}/`.startsWith(`${root}/`)).join(":");
}

function resolveQuietly(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there, so nothing is found in it
  }
}

export interface BackgroundOrder {
  readonly program: Program;
  readonly timeout?: number | undefined;
  readonly timeout_ms?: number | undefined;
  readonly ready_text?: string | undefined;
  readonly ready_port?: number | undefined;
  readonly keep_running?: boolean | undefined;
}

/** How long a background process may take to be ready when the call names no time. */
const defaultReadyMs = 30_000;

/** With `background`, the call's time limit is the time to get ready: the process itself has none. */
function readyMs(order: Pick<BackgroundOrder, "timeout" | "timeout_ms">): number {
  return askedTimeoutMs(order) ?? defaultReadyMs;
}

async function startInBackground(parts: ShellParts, input: BackgroundOrder, context: ToolContext): Promise<ToolResult> {
  const readiness = readinessOf(input);
  if (readiness === "both") {
    return failure(
      "invalid_input",
      "Expected ready_text or ready_port, got both",
      "Send the one that tells more surely.",
    );
  }
  const { executionId, env, signal, conversationId } = context;
  const start = await startFirst(parts.processes, input.program, {
    cwd: input.program.cwd,
    env,
    executionId,
    signal,
    readyTimeoutMs: readyMs(input),
    keep: input.keep_running ?? false,
    ...(readiness ? { readiness } : {}),
    ...(conversationId === undefined ? {} : { ownerSession: conversationId }),
  });
  if (start.state === "not_started") {
    const { code, message } = start.startError;
    return failure(errorTypeOfStart(code), `Not started: ${message}`);
  }

  const { process, output } = start;
  if (start.stop) context.stopped(start.stop);
  context.sandboxed(start.sandbox);
  const data = { id: process.id, pid: process.pid, state: start.state, exit_code: process.exitCode };
  const seen = output === "" ? "" : `\n${output}`;
  if (start.state === "exited") {
    const how = process.killedBy ? `was killed by ${process.killedBy}` : `exited with code ${process.exitCode}`;
    const hint = start.explain(output);
    const error = `The background process ${how} at once`;
    return { ok: false, error, ...(hint === null ? {} : { hint }), errorType: "exit_code", output, data };
  }
  if (start.state === "stopped") return { ok: false, error: "Stopped", errorType: "cancelled", output, data };
  const end = input.keep_running ? "It keeps running until it is stopped." : "It ends with this program.";
  const told =
    start.state === "ready"
      ? `Background process ${process.id} runs (pid ${process.pid}). ${end}`
      : `Background process ${process.id} runs (pid ${process.pid}), but it did not get ready in time. ${end}`;
  return { ok: true, output: `${told} Read or stop it with the tool processes.${seen}`, data };
}

/** The first program of the list that exists. */
async function startFirst(
  { background }: ShellParts["processes"],
  { candidates }: Program,
  request: Omit<BackgroundRequest, "argv">,
): Promise<BackgroundStart> {
  let start: BackgroundStart | undefined;
  for (const argv of candidates) {
    start = await background.start({ ...request, argv });
    if (start.state !== "not_started" || start.startError.code !== "ENOENT") break;
  }
  return start!;
}

function readinessOf({ ready_text: text, ready_port: port }: BackgroundOrder): Readiness | "both" | undefined {
  if (text !== undefined && port !== undefined) return "both";
  if (text !== undefined) return { text };
  return port === undefined ? undefined : { port };
}
