import { formatDuration } from "../../../core/time.ts";
import type { Tool } from "../../../core/tool.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import { type McpStatus } from "../../../runtime/open-mcp-servers.ts";
import { describeState, type Origin, originOf, toolsToWire, toolToWire } from "../../../runtime/views/call-view.ts";
import { describeProblem, describeRelease } from "../../../tool-files/tool-file-status.ts";
import { openRuntime } from "../../open-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { renderTable } from "../../terminal/table.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Nothing is run or recorded, so nothing is opened, made or cleaned up either. */
const onlyLooking = { settings: { store: { kind: "memory" } }, onlyLooks: true, recover: false } as const;

/** `deckhand tools [NAME]` */
export async function runTools(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [name] = invocation.positionals;
  const runtime = await openRuntime(invocation, terminal, onlyLooking);
  try {
    // Only a server that runs says how it stands.
    await prepareTools(runtime, terminal);
    const asJson = invocation.has("json");
    if (name === undefined) {
      if (asJson) terminal.printJson(toolsToWire(runtime));
      else terminal.print(renderTools(runtime, terminal));
    } else {
      const tool = resolveTool(runtime, name);
      if (asJson) terminal.printJson(toolToWire(runtime, tool));
      else {
        const aliases = runtime.tools.aliasesOf(tool.name);
        terminal.print(
          neutralizeText(
            describeTool(tool, { aliases, limits: runtime.timeLimits(tool), origin: originOf(runtime, tool) }),
          ),
        );
      }
    }
    for (const sentence of describeReleases(runtime)) terminal.tell(`deckhand: ${sentence}`);
    tellToolProblems(runtime, terminal);
  } finally {
    await runtime.close();
  }
  return exitCode.done;
}

/** As long as the servers may take to start; a line on the terminal says what is waited for. */
async function prepareTools(runtime: Runtime, terminal: Terminal): Promise<void> {
  const unknown = runtime.mcpServers().filter(({ tools }) => tools === null);
  const names = unknown.map(({ name }) => name).join(", ");
  if (names !== "") terminal.status(`Waiting for the MCP ${unknown.length === 1 ? "server" : "servers"} ${names} …`);
  await runtime.prepareTools({ waitsForServers: true });
  terminal.status(null);
}

export function renderTools(runtime: Runtime, terminal: Terminal): string {
  const tables: Record<"builtin" | "file" | "server", string[][]> = { builtin: [], file: [], server: [] };
  for (const tool of runtime.tools.list()) {
    const origin = originOf(runtime, tool);
    const facts = [tool.name, describeEffect(tool)];
    if (origin?.kind === "file") facts.push(tool.version, origin.status.file);
    if (origin?.kind === "server") facts.push(origin.status.name, describeState(origin.status));
    tables[origin?.kind ?? "builtin"].push([...facts, summarizeTool(tool)]);
  }
  const render = (rows: readonly string[][], ...titles: readonly string[]): string[] =>
    rows.length === 0
      ? []
      : [
          renderTable({
            columns: titles.map((title) => ({ title })),
            rows,
            width: terminal.width,
            style: (cell, column) => (column === 0 ? terminal.style("bold", cell) : cell),
          }),
        ];
  return [
    ...render(tables.builtin, "TOOL", "MAY DO", "WHAT FOR"),
    ...render(tables.file, "FROM A FILE", "MAY DO", "VERSION", "FILE", "WHAT FOR"),
    ...render(tables.server, "FROM A SERVER", "MAY DO", "SERVER", "STATE", "WHAT FOR"),
  ].join("\n");
}

/** Files whose tool is another content of them than they have now. */
function describeReleases(runtime: Runtime): string[] {
  return runtime.customTools().files.flatMap((status) => describeRelease(status) ?? []);
}

/** Files that are no tool, or another one than they say, and servers that do not work, each with its reason. */
export function describeToolProblems(runtime: Runtime): string[] {
  const { files } = runtime.customTools();
  return [
    ...files.flatMap((status) => describeProblem(status) ?? []),
    ...runtime.mcpServers().flatMap((status) => tellServer(status) ?? []),
  ].map((sentence) => runtime.maskText(sentence));
}

function tellServer({ name, where, state, problem }: McpStatus): string | undefined {
  if (problem !== null) return `${problem} Correct "mcpServers.${name}", or see what deckhand doctor says of it.`;
  if (state !== "starting") return undefined;
  return `The MCP server "${name}" (${where}) did not answer yet, so its tools may not be listed.`;
}

function tellToolProblems(runtime: Runtime, terminal: Terminal): void {
  // Servers that nobody trusts yet have no state; whoever looks for their tools wants to know.
  const untrusted = runtime.warnings.filter((warning) => /mcpServers|MCP servers/.test(warning));
  for (const problem of new Set([...untrusted, ...describeToolProblems(runtime)]))
    terminal.tell(`deckhand: warning: ${problem}`);
}

function resolveTool({ tools }: Runtime, name: string): Tool {
  const tool = tools.resolve(name);
  if (tool) return tool;
  const meant = tools.suggest(name).join(" or ");
  const hint = meant ? `Did you mean ${meant}?` : "See deckhand tools for all of them.";
  throw new UsageError(`There is no tool named "${name}". ${hint}`);
}

/** What it may do, in a word or two. */
function describeEffect({ traits }: Tool): string {
  return traits.readOnly ? "read-only" : `changes things, ${traits.risk} risk`;
}

/** The first sentence of its description. */
function summarizeTool({ description }: Tool): string {
  const line = description.trim().split("\n", 1)[0] ?? "";
  return /^.*?[.!?](?=\s)/.exec(line)?.[0] ?? line;
}

export interface ToolFacts {
  readonly aliases: readonly string[];
  /** As the settings have them. */
  readonly limits: ReturnType<Runtime["timeLimits"]>;
  readonly origin: Origin | undefined;
}

/** All there is to know about one tool, for a person. */
function describeTool(tool: Tool, { aliases, limits, origin }: ToolFacts): string {
  const { traits } = tool;
  const facts: (readonly [string, string])[] = [
    ["may do", `${describeEffect(tool)}${traits.idempotent && !traits.readOnly ? ", the same when repeated" : ""}`],
    ["also called", aliases.join(", ") || "nothing else"],
    ["category", traits.category],
    ["offered in", traits.offeredIn.join(", ")],
    ["time limit", formatDuration(limits.timeoutMs)],
    ...(limits.idleMs === null ? [] : [["idle limit", formatDuration(limits.idleMs)] as const]),
    ["after a crash", replays[traits.replay]],
    ["version", tool.version],
    ...(origin?.kind === "file" ? [["file", origin.status.file] as const] : []),
    ...(origin?.kind === "server"
      ? [["server", `${origin.status.name}, ${describeState(origin.status)}`] as const]
      : []),
  ];
  const parameters = describeParameters(tool);
  return [
    tool.name,
    "",
    tool.description.trim(),
    "",
    ...facts.map(([label, fact]) => `  ${label.padEnd(13)}  ${fact}`),
    "",
    parameters.length === 0 ? "It takes no parameters." : "Parameters:",
    ...parameters.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

const replays = {
  safe: "may be run again",
  check: "what it did is looked at before it is run again",
  never: "is never run again by itself",
};

function describeParameters({ inputSchema }: Tool): string[] {
  const { properties, required } = inputSchema;
  if (typeof properties !== "object" || properties === null) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const rows = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const notes = [typeOf(schema), needed.has(name) ? "required" : "optional", ...defaultOf(schema)];
    return { left: `${name} (${notes.join(", ")})`, description: schema["description"] };
  });
  return rows.map(({ left, description }) => (typeof description === "string" ? `${left}: ${description}` : left));
}

type Schema = Readonly<Record<string, unknown>>;

function typeOf(schema: Schema): string {
  const { type, enum: choices, items, anyOf } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  if (Array.isArray(anyOf)) return anyOf.map((each: Schema) => typeOf(each)).join(" | ");
  if (type === "array" && typeof items === "object" && items !== null) return `list of ${typeOf(items as Schema)}`;
  return typeof type === "string" ? type : "any";
}

function defaultOf({ default: standard }: Schema): string[] {
  return standard === undefined ? [] : [`default ${JSON.stringify(standard)}`];
}
