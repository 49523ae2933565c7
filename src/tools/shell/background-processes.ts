import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { Resource, Tool, ToolContext, ToolResult } from "../../core/tool.ts";
import type { BackgroundOutput, BackgroundProcess } from "../../process/background/background.ts";
import type { Processes } from "../../process/processes.ts";
import { type Failure, failure, formatBytes, formatCount } from "../failure.ts";

const processesInput = z.object({
  action: z.enum(["list", "read", "stop"]),
  id: z.string().optional().describe("For read and stop; or a part of 4 characters from its start or end"),
  tail: z.number().int().min(1).max(100_000).optional().describe("read: bytes from its end, default 8000"),
});

export type ProcessesInput = z.output<typeof processesInput>;

/** The background processes that `bash` started. */
export function createProcessesTool({ processes }: { readonly processes: Processes }): Tool<ProcessesInput> {
  return defineTool({
    name: "processes",
    description: "Background processes started by bash: list them, read one's output, stop one.",
    traits: { readOnly: false, risk: "medium", idempotent: true, category: "shell", replay: "safe" },
    timeoutMs: 30_000,
    stopMs: 15_000,
    input: processesInput,
    resources: ({ action }): Resource[] => [
      { kind: "name", name: "processes", access: action === "stop" ? "write" : "read" },
    ],
    run: (input, context) => act(processes, input, context),
  });
}

async function act(processes: Processes, input: ProcessesInput, context: ToolContext): Promise<ToolResult> {
  const { background } = processes;
  if (input.action === "list") return listAll(background.list());
  if (input.id === undefined) return failure("invalid_input", `Missing parameters: id (for action ${input.action})`);
  const found = findProcess(background, input.id);
  if ("ok" in found) return found;

  if (input.action === "read") {
    const read = background.read(found.id, { tailBytes: input.tail ?? 8000 });
    const output = `${describe(found)}\n${read ? skippedNote(read) : ""}${read?.text ?? ""}`;
    return { ok: true, output, data: dataOf(found) };
  }
  const report = await background.stop(found.id);
  // Also an ended one is looked after: something that it started may have outlived a runtime that was killed.
  if (report) context.stopped(report);
  if (report && report.survivors.length > 0) {
    const pids = report.survivors.map(({ pid }) => pid).join(", ");
    return failure("io", `Not all of ${found.id} could be stopped; still alive: ${pids}`);
  }
  const output =
    found.state === "running"
      ? `Stopped ${found.id} (proof: ${report?.proof ?? "none"})`
      : `${found.id} had already ended (${describeEnd(found)})`;
  return { ok: true, output, data: { id: found.id } };
}

function skippedNote({ skippedBytes, cutBytes }: BackgroundOutput): string {
  if (skippedBytes === 0) return "";
  const cut =
    cutBytes === 0 ? "" : `, ${formatCount(cutBytes)} of them cut from the log (limits.max_background_log_bytes)`;
  return `[${formatCount(skippedBytes)} earlier bytes left out${cut}]\n`;
}

/** Ids begin with the time, so a short beginning fits them all. */
const shortestPart = 4;

/** The one with this id, or the only one whose id begins or ends like this. */
function findProcess(background: Processes["background"], given: string): BackgroundProcess | Failure {
  const exact = background.find(given);
  if (exact) return exact;
  const part = given.toLowerCase().replace(/^call_/, "");
  const fits = ({ id }: BackgroundProcess): boolean => id.endsWith(part) || id.replace(/^call_/, "").startsWith(part);
  const [only, ...others] = part.length < shortestPart ? [] : background.list().filter(fits);
  if (only && others.length === 0) return only;
  const hint = 'See action "list" for the ids.';
  if (!only) return failure("not_found", `There is no background process ${given}`, hint);
  const ids = [only, ...others].map(({ id }) => id).join(", ");
  return failure("not_unique", `"${given}" could be ${others.length + 1} background processes: ${ids}`, hint);
}

function listAll(all: readonly BackgroundProcess[]): ToolResult {
  const output = all.length === 0 ? "No background processes." : all.map(describe).join("\n");
  return { ok: true, output, data: { processes: all.map(dataOf) } };
}

function describe(one: BackgroundProcess): string {
  const state = one.state === "running" ? `running, pid ${one.pid}` : describeEnd(one);
  return `${one.id}: ${one.command.at(-1) ?? ""} (${state}, ${formatBytes(one.outputBytes)} of output${one.keep ? ", kept" : ""})`;
}

function describeEnd({ state, exitCode, killedBy }: BackgroundProcess): string {
  if (state === "stopped") return "stopped";
  if (killedBy) return `killed by ${killedBy}`;
  return exitCode === null ? "exit code unknown" : `exit code ${exitCode}`;
}

function dataOf(one: BackgroundProcess): Record<string, unknown> {
  return {
    id: one.id,
    pid: one.pid,
    command: one.command.at(-1) ?? "",
    state: one.state,
    exit_code: one.exitCode,
    started_at: new Date(one.startedAt).toISOString(),
    output_bytes: one.outputBytes,
    keep: one.keep,
  };
}
