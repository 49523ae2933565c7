import type { ToolContext, ToolResult } from "../../core/tool.ts";
import type { Readiness } from "../../process/background/readiness.ts";
import type { BackgroundRequest, BackgroundStart } from "../../process/background/start-background.ts";
import { errorTypeOfStart } from "./command-result.ts";
import { failure } from "../failure.ts";
import { askedTimeoutMs, type Program, type ShellParts } from "./run-program.ts";

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
export function readyMs(order: Pick<BackgroundOrder, "timeout" | "timeout_ms">): number {
  return askedTimeoutMs(order) ?? defaultReadyMs;
}

export async function startInBackground(
  parts: ShellParts,
  input: BackgroundOrder,
  context: ToolContext,
): Promise<ToolResult> {
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
