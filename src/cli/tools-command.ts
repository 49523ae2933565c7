import type { Tool } from "../core/tool.ts";
import type { Runtime } from "../runtime/create-runtime.ts";
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
      if (asJson) terminal.printJson(toolToWire(tool, aliases));
      else terminal.print(neutralizeText(describeTool(tool, aliases)));
    }
  } finally {
    await runtime.close();
  }
  return exitCode.done;
}

export function toolsToWire({ tools }: Runtime): unknown[] {
  return tools.list().map((tool) => toolToWire(tool, tools.aliasesOf(tool.name)));
}

export function renderTools({ tools }: Runtime, terminal: Terminal): string {
  return renderTable({
    columns: [{ title: "TOOL" }, { title: "MAY DO" }, { title: "WHAT FOR" }],
    rows: tools.list().map((tool) => [tool.name, describeEffect(tool), summarizeTool(tool)]),
    width: terminal.width,
    style: (cell, column) => (column === 0 ? terminal.style("bold", cell) : cell),
  });
}

function resolveTool({ tools }: Runtime, name: string): Tool {
  const tool = tools.resolve(name);
  if (tool) return tool;
  const meant = tools.suggest(name).join(" or ");
  const hint = meant ? `Did you mean ${meant}?` : "See deckhand tools for all of them.";
  throw new UsageError(`There is no tool named "${name}". ${hint}`);
}
