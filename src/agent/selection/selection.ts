import type { ToolOffer } from "../../core/model.ts";
import type { Tool } from "../../core/tool.ts";
import { inOfferOrder, isBridgeTool } from "./core-tools.ts";

/** The tools a model is shown, chosen once for a conversation. Nothing of it changes afterwards. */
export interface Selection {
  readonly offers: readonly ToolOffer[];
  readonly names: readonly string[];
  /** How many tools there are in all. */
  readonly total: number;
  /** Of all schemas together. */
  readonly totalTokens: number;
  readonly offeredTokens: number;
  readonly savedPercent: number;
}

export type EstimateTokens = (text: string) => number;

export interface SelectionParts {
  readonly chosen: readonly Tool[];
  /** All that there are, the bridge among them. */
  readonly tools: readonly Tool[];
  readonly estimate: EstimateTokens;
}

/** A copy of its own, frozen all through: a tool that is reloaded meanwhile does not change a byte of it. */
export function freezeSelection({ chosen, tools, estimate }: SelectionParts): Selection {
  // What a model would be shown without any choice.
  const all = tools.filter((tool) => !isBridgeTool(tool));
  const leftOut = all.filter((tool) => !chosen.includes(tool)).map(({ name }) => name);
  const offers = freezeDeep(inOfferOrder(chosen).map((tool) => structuredClone(toOffer(nameOthers(tool, leftOut)))));
  const totalTokens = tokensOf(all.map(toOffer), estimate);
  const offeredTokens = tokensOf(offers, estimate);
  const saved = totalTokens === 0 ? 0 : Math.round((1 - offeredTokens / totalTokens) * 100);
  return Object.freeze({
    offers,
    names: Object.freeze(offers.map(({ name }) => name)),
    total: all.length,
    totalTokens,
    offeredTokens,
    savedPercent: Math.max(0, saved),
  });
}

/** The conversation of an earlier process goes on with the tools it had. One that is gone since then is left out. */
export function restoreSelection(
  { tools, estimate }: { readonly tools: readonly Tool[]; readonly estimate: EstimateTokens },
  names: readonly string[],
): Selection {
  return freezeSelection({ chosen: tools.filter(({ name }) => names.includes(name)), tools, estimate });
}

/** A model that knows the names of the others asks for the right one; the words of a search may miss it. */
function nameOthers(tool: Tool, leftOut: readonly string[]): Tool {
  if (tool.name !== "find_tools" || leftOut.length === 0) return tool;
  const names = leftOut.toSorted((a, b) => (a < b ? -1 : 1)).join(" ");
  const listed = names.length <= longestNames ? names : `${names.slice(0, names.lastIndexOf(" ", longestNames))} …`;
  return { ...tool, description: `${tool.description} Also here: ${listed}` };
}

const longestNames = 4000;

/** The line that is shown each turn. */
export function describeSaving({ savedPercent }: Selection): string {
  return `[tool-schema-opt] saved=${savedPercent}%`;
}

export function tokensOfTool(tool: Tool, estimate: EstimateTokens): number {
  return estimate(JSON.stringify(toOffer(tool)));
}

function tokensOf(offers: readonly ToolOffer[], estimate: EstimateTokens): number {
  return offers.reduce((sum, offer) => sum + estimate(JSON.stringify(offer)), 0);
}

function toOffer({ name, description, inputSchema }: Tool): ToolOffer {
  return { name, description, inputSchema };
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}
