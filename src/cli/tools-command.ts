import type { Tool } from "../core/tool.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
import { describeProblem, type FileStatus } from "../runtime/tool-files.ts";
import { UsageError, type Invocation } from "./command.ts";
import { describeEffect, describeTool, summarizeTool, toolToWire } from "./describe-tool.ts";
import { exitCode } from "./exit-code.ts";
import { openRuntime } from "./open-runtime.ts";
import { renderTable } from "./table.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

/** Nothing is run or recorded, so nothing is opened, made or cleaned up either. */
const onlyLooking = { settings: { store: { kind: "memory" } }, recover: false } as const;

/** `deckhand tools [NAME]` */
export async function runTools(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [name] = invocation.positionals;
  const runtime = await openRuntime(invocation, terminal, onlyLooking);
  try {
    const asJson = invocation.has("json");
    if (name === undefined) {
      if (asJson) terminal.printJson(toolsToWire(runtime));
      else terminal.print(renderTools(runtime, terminal));
    } else {
      const tool = resolveTool(runtime, name);
      const aliases = runtime.tools.aliasesOf(tool.name);
      const file = fileOf(runtime, tool);
      if (asJson) terminal.printJson(toolToWire(tool, aliases, file));
      else terminal.print(neutralizeText(describeTool(tool, aliases, file)));
    }
    tellFileProblems(runtime, terminal);
  } finally {
    await runtime.close();
  }
  return exitCode.done;
}

export function toolsToWire(runtime: Runtime): unknown[] {
  const { tools } = runtime;
  return tools.list().map((tool) => toolToWire(tool, tools.aliasesOf(tool.name), fileOf(runtime, tool)));
}

export function renderTools(runtime: Runtime, terminal: Terminal): string {
  const all = runtime.tools.list();
  const builtin = renderTable({
    columns: [{ title: "TOOL" }, { title: "MAY DO" }, { title: "WHAT FOR" }],
    rows: all
      .filter((tool) => !fileOf(runtime, tool))
      .map((tool) => [tool.name, describeEffect(tool), summarizeTool(tool)]),
    width: terminal.width,
    style: (cell, column) => (column === 0 ? terminal.style("bold", cell) : cell),
  });
  const custom = all.flatMap((tool) => {
    const file = fileOf(runtime, tool);
    return file ? [[tool.name, describeEffect(tool), tool.version, file.file, summarizeTool(tool)]] : [];
  });
  if (custom.length === 0) return builtin;
  const files = renderTable({
    columns: [
      { title: "FROM A FILE" },
      { title: "MAY DO" },
      { title: "VERSION" },
      { title: "FILE" },
      { title: "WHAT FOR" },
    ],
    rows: custom,
    width: terminal.width,
    style: (cell, column) => (column === 0 ? terminal.style("bold", cell) : cell),
  });
  return `${builtin}\n${files}`;
}

/** Files that are no tool, or another one than they say, each with its reason. */
export function describeFileProblems(runtime: Runtime): string[] {
  const { files } = runtime.customTools();
  return files.flatMap((status) => describeProblem(status) ?? []);
}

function tellFileProblems(runtime: Runtime, terminal: Terminal): void {
  for (const problem of describeFileProblems(runtime)) terminal.tell(`deckhand: warning: ${problem}`);
}

function fileOf(runtime: Runtime, { name }: Tool): FileStatus | undefined {
  return runtime.customTools().files.find(({ tool }) => tool === name);
}

function resolveTool({ tools }: Runtime, name: string): Tool {
  const tool = tools.resolve(name);
  if (tool) return tool;
  const meant = tools.suggest(name).join(" or ");
  const hint = meant ? `Did you mean ${meant}?` : "See deckhand tools for all of them.";
  throw new UsageError(`There is no tool named "${name}". ${hint}`);
}
