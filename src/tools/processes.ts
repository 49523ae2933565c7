import { z } from "zod";
import { defineTool } from "../core/define-tool.ts";
import type { Resource } from "../core/resource.ts";
import type { Tool, ToolContext, ToolResult } from "../core/tool.ts";
import type { BackgroundProcess } from "../process/background.ts";
import type { Processes } from "../process/processes.ts";
import { failure } from "./failure.ts";
import { formatBytes, formatCount } from "./format-bytes.ts";

const processesInput = z.object({
  action: z.enum(["list", "read", "stop"]),
  id: z.string().optional().describe("For read and stop"),
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
  const found = background.find(input.id);
  if (!found)
    return failure("not_found", `There is no background process ${input.id}`, 'See action "list" for the ids.');

  if (input.action === "read") {
    const read = background.read(found.id, { tailBytes: input.tail ?? 8000 });
    const skipped = read?.skippedBytes ? `[${formatCount(read.skippedBytes)} earlier bytes left out]\n` : "";
    return { ok: true, output: `${describe(found)}\n${skipped}${read?.text ?? ""}`, data: dataOf(found) };
  }
  const report = await background.stop(found.id);
  if (report) context.stopped(report);
  if (report && report.survivors.length > 0) {
    const pids = report.survivors.map(({ pid }) => pid).join(", ");
    return failure("io", `Not all of ${found.id} could be stopped; still alive: ${pids}`);
  }
  return { ok: true, output: `Stopped ${found.id} (proof: ${report?.proof ?? "none"})`, data: { id: found.id } };
}

function listAll(all: readonly BackgroundProcess[]): ToolResult {
  const output = all.length === 0 ? "No background processes." : all.map(describe).join("\n");
  return { ok: true, output, data: { processes: all.map(dataOf) } };
}

function describe(one: BackgroundProcess): string {
  const state =
    one.state === "running"
      ? `running, pid ${one.pid}`
      : `exited with ${one.killedBy ?? one.exitCode ?? "an unknown code"}`;
  return `${one.id}: ${one.command.at(-1) ?? ""} (${state}, ${formatBytes(one.outputBytes)} of output${one.keep ? ", kept" : ""})`;
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
