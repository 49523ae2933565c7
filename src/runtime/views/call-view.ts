import type { Execution } from "../../core/call.ts";
import type { Task } from "../../core/task.ts";
import { clipText } from "../../core/text.ts";
import type { Tool } from "../../core/tool.ts";
import { executionToWire, toWire, type WireExecution } from "../../core/wire.ts";
import type { AgentInfo } from "../../tasks/manager/task-service.ts";
import { describeProblem, type FileStatus } from "../../tool-files/tool-file-status.ts";
import { type McpStatus } from "../open-mcp-servers.ts";
import type { Runtime } from "../runtime.ts";

/** The record as JSON can show it. What belongs to a tool may be nested too deep or in a circle; then a note stands for it. */
export function printableExecution(execution: Execution): WireExecution {
  const wire = executionToWire(execution);
  if (isPrintable(wire)) return wire;
  return { ...wire, tool_input: orNote(wire.tool_input), result: orNote(wire.result) };
}

/** The same for lists: texts of more than 500 characters are cut, and so is what is large or deep in its input and result. */
export function briefExecution(execution: Execution): WireExecution {
  const wire = executionToWire(execution);
  return { ...wire, tool_input: shorten(wire.tool_input, 0), result: shorten(wire.result, 0) };
}

const longestText = 500;
const mostItems = 50;
const deepest = 6;

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.length > longestText ? `${clipText(value, longestText)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, mostItems).map((each) => shorten(each, depth + 1));
    return value.length > mostItems ? [...items, "…"] : items;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, mostItems).map(([key, each]) => [key, shorten(each, depth + 1)] as const);
  return Object.fromEntries(entries.length > mostItems ? [...kept, ["…", "…"] as const] : kept);
}

function orNote(value: unknown): unknown {
  return isPrintable(value) ? value : "[can't be shown as JSON: nested too deep, or in a circle]";
}

function isPrintable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false; // a RangeError or a TypeError; either says only that
  }
}

/** As it leaves the program: without secrets, in snake_case. */
export function printableTask({ maskValue }: Pick<Runtime, "maskValue">, task: Task): object {
  const { id, state, order, ...rest } = task;
  return toWire(maskValue({ id, state, order, ...rest })) as object;
}

export function agentToWire({ name, title, isInstalled, install, canResume, limit }: AgentInfo): object {
  return { name, title, installed: isInstalled, install, can_resume: canResume, limit };
}

/** All tools, as `tools --json` shows them. */
export function toolsToWire(runtime: Runtime): object[] {
  return runtime.tools.list().map((tool) => toolToWire(runtime, tool));
}

/** One tool; of one that is not built in also where it comes from. */
export function toolToWire(runtime: Runtime, tool: Tool): object {
  const { name, description, traits, version, inputSchema } = tool;
  const origin = originOf(runtime, tool);
  return toWire({
    name,
    description,
    aliases: runtime.tools.aliasesOf(name),
    ...traits,
    timeoutMs: runtime.timeLimits(tool).timeoutMs,
    version,
    inputSchema,
    ...(origin && originToWire(origin)),
  }) as object;
}

/** Where a tool comes from that is not built in. */
export type Origin =
  | { readonly kind: "file"; readonly status: FileStatus }
  | { readonly kind: "server"; readonly status: McpStatus };

export function originOf(runtime: Runtime, { name, traits }: Tool): Origin | undefined {
  const file = runtime.customTools().files.find(({ tool }) => tool === name);
  if (file) return { kind: "file", status: file };
  const server = runtime.mcpServers().find((each) => traits.category === `mcp:${each.name}`);
  // What a program said as it ended may hold what it was given.
  return (
    server && { kind: "server", status: { ...server, problem: server.problem && runtime.maskText(server.problem) } }
  );
}

/** Keys of `tools --json` beside those that every tool has. */
function originToWire(origin: Origin): Readonly<Record<string, string | null>> {
  if (origin.kind === "file") {
    const { status } = origin;
    return { file: status.file, state: status.state, release: status.release, problem: describeProblem(status) };
  }
  const { status } = origin;
  return { server: status.name, state: describeState(status), problem: status.problem };
}

/** How a server stands, as a person says it. */
export function describeState({ state }: McpStatus): string {
  return states[state];
}

const states: Readonly<Record<McpStatus["state"], string>> = {
  idle: "not started",
  starting: "starting",
  ready: "connected",
  failed: "failed",
};
