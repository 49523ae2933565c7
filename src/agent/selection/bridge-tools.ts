import { z } from "zod";
import { defineTool } from "../../core/define-tool.ts";
import type { CallPart } from "../../core/message.ts";
import { clipText } from "../../core/text.ts";
import type { Tool, ToolResult } from "../../core/tool.ts";
import type { Catalog } from "../../engine/catalog.ts";
import { isBridgeTool } from "./core-tools.ts";
import { openToolSearch, type ToolSearch } from "./search-tools.ts";

/** Two tools by which a model reaches all others, so that what it is shown never has to change. */
export function createBridgeTools(catalog: Catalog): Tool[] {
  return [createFindTools(catalog), createCallTool(catalog)];
}

function createFindTools(catalog: Catalog): Tool {
  const openSearch = keepSearch(catalog);
  return defineTool({
    name: "find_tools",
    description: "Find tools that are not listed; call_tool runs them.",
    traits: { readOnly: true, risk: "low", category: "tools", offeredIn: ["agent"] },
    input: z.object({
      query: z.string().describe("What it should do, in a few English words"),
      limit: z.int().min(1).max(20).optional(),
    }),
    resources: () => [],
    async run({ query, limit = 5 }) {
      const { tools, search } = await openSearch();
      const found = search.search(query).slice(0, limit);
      if (found.length === 0) return { ok: true, output: describeNothing(query, tools), data: { tools: [] } };
      const names = found.map(({ tool }) => tool.name);
      return {
        ok: true,
        output: found.map(({ tool }) => describe(tool)).join("\n\n") + howToCall,
        data: { tools: names },
      };
    },
  });
}

/** Only answers wrong use: a right call of it is a call of the tool it names, see `unwrapBridge`. */
function createCallTool(catalog: Catalog): Tool {
  return defineTool({
    name: "call_tool",
    description: "Run a tool that is not listed.",
    traits: { readOnly: true, risk: "low", category: "tools", offeredIn: ["agent"] },
    input: z.object({
      name: z.string(),
      input: z.looseObject({}).optional().describe("By its schema"),
    }),
    resources: () => [],
    run: ({ name }) => Promise.resolve(explain(name, catalog)),
  });
}

function explain(name: string, catalog: Catalog): ToolResult {
  const tool = catalog.resolve(name);
  if (tool && isBridgeTool(tool)) {
    const error = `call_tool can't run ${tool.name}.`;
    return { ok: false, error, hint: `Call ${tool.name} itself.`, errorType: "invalid_input" };
  }
  const suggestions = catalog.suggest(name);
  const hint = tool
    ? `Call ${tool.name} itself, or send {"name": "${tool.name}", "input": {…}}.`
    : suggestions.length > 0
      ? `Did you mean ${suggestions.join(", ")}?`
      : "Look for it with find_tools.";
  return { ok: false, error: `call_tool did not run "${clipText(name, 100)}".`, hint, errorType: "invalid_input" };
}

const howToCall = '\n\nRun one of them with call_tool {"name": …, "input": {…}}.';
const longestDescription = 300;

function describe({ name, description, inputSchema }: Tool): string {
  const [line = ""] = description.trim().split("\n");
  return `${name}: ${clipText(line, longestDescription)}\ninput: ${JSON.stringify(inputSchema)}`;
}

function describeNothing(query: string, tools: readonly Tool[]): string {
  const counts = new Map<string, number>();
  for (const { traits } of tools) counts.set(traits.category, (counts.get(traits.category) ?? 0) + 1);
  const categories = [...counts]
    .map(([category, count]) => `${category} (${count})`)
    .toSorted((a, b) => a.localeCompare(b));
  return `No tool fits "${clipText(query, 100)}". There are tools for: ${categories.join(", ")}. Use other words, or the name of one of these.`;
}

/** The index is made for the first search, and again when the tools are others. */
function keepSearch(catalog: Catalog): () => Promise<{ readonly tools: readonly Tool[]; readonly search: ToolSearch }> {
  let known: { readonly tools: readonly Tool[]; readonly search: ToolSearch } | undefined;
  return async () => {
    const tools = catalog.list("agent").filter((tool) => !isBridgeTool(tool));
    const isSame = known?.tools.length === tools.length && tools.every((tool, at) => tool === known?.tools[at]);
    if (known && isSame) return known;
    return (known = { tools, search: await openToolSearch({ tools, aliasesOf: (name) => catalog.aliasesOf(name) }) });
  };
}

/**
 * A call of `call_tool` as the call of the tool it names: permission, overlap, records and log see that one. Anything
 * else, and what can't be understood, stays as it is; the check of `call_tool` then says what is wrong.
 */
export function unwrapBridge(call: CallPart): CallPart {
  if (!isCallTool(call.tool)) return call;
  const wanted = parseObject(call.inputText);
  const name = wanted?.["name"] ?? wanted?.["tool"] ?? wanted?.["tool_name"];
  if (!wanted || typeof name !== "string" || name.trim() === "" || isBridge(name)) return call;
  const input = wanted["input"] ?? wanted["arguments"] ?? wanted["parameters"] ?? {};
  // Some models write the inner input as text once more.
  const inner = typeof input === "string" ? parseObject(input) : input;
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return call;
  const inputText = writeObject(inner);
  return inputText === undefined ? call : { ...call, tool: name.trim(), inputText };
}

function writeObject(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply: it can be read, but not be written again.
    return undefined;
  }
}

function isCallTool(name: string): boolean {
  return fold(name) === "calltool";
}

function isBridge(name: string): boolean {
  return isCallTool(name) || fold(name) === "findtools";
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
