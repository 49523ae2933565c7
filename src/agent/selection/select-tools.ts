import type { Tool } from "../../core/tool.ts";
import { isBridgeTool, isCoreTool } from "./core-tools.ts";
import { openToolSearch } from "./search-tools.ts";
import { selectionKey, type SelectionCache } from "./selection-cache.ts";
import { freezeSelection, tokensOfTool, type EstimateTokens, type Selection } from "./selection.ts";

export interface SelectToolsOptions {
  /** All that may be offered in this conversation, the bridge among them. */
  readonly tools: readonly Tool[];
  /** The first words of the person. */
  readonly prompt: string;
  readonly estimate: EstimateTokens;
  readonly aliasesOf?: (canonicalName: string) => readonly string[];
  /** Names of tools that were used here lately, the latest first: they fill what the prompt leaves open. */
  readonly recentlyUsed?: readonly string[];
  readonly limits?: Partial<SelectionLimits>;
  readonly cache?: SelectionCache;
  /** Tools may be added while the conversation runs, so the bridge is needed although nothing is left out. */
  readonly mayGrow?: boolean;
}

export interface SelectionLimits {
  /** Up to this many tokens and tools everything is offered: a choice would save too little to be worth a miss. */
  readonly budgetTokens: number;
  readonly maxUnchosen: number;
  /** How many are chosen besides the core. */
  readonly chosen: number;
}

const defaultLimits: SelectionLimits = { budgetTokens: 6000, maxUnchosen: 24, chosen: 8 };

/** Chooses what a model is shown, once for a conversation. What is left out it finds through the bridge. */
export async function selectTools(options: SelectToolsOptions): Promise<Selection> {
  const { estimate } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const all = options.tools.filter((tool) => !isBridgeTool(tool));
  const bridge = options.tools.filter(isBridgeTool);
  const tokens = all.reduce((sum, tool) => sum + tokensOfTool(tool, estimate), 0);
  if (all.length <= limits.maxUnchosen && tokens < limits.budgetTokens) {
    return freezeSelection({ chosen: options.mayGrow ? options.tools : all, tools: options.tools, estimate });
  }
  const chosen = await choose(all, options, limits);
  return freezeSelection({ chosen: [...chosen, ...bridge], tools: options.tools, estimate });
}

async function choose(
  all: readonly Tool[],
  options: SelectToolsOptions,
  limits: SelectionLimits,
): Promise<readonly Tool[]> {
  const { prompt, cache, recentlyUsed = [] } = options;
  const key = cache && selectionKey({ tools: all, prompt, settings: [limits, recentlyUsed] });
  const known = key === undefined ? undefined : cache?.get(key);
  if (known) return all.filter(({ name }) => known.includes(name));
  const chosen = await rank(all, options, limits);
  if (key !== undefined) {
    cache?.set(
      key,
      chosen.map(({ name }) => name),
    );
  }
  return chosen;
}

async function rank(all: readonly Tool[], options: SelectToolsOptions, limits: SelectionLimits): Promise<Tool[]> {
  const { prompt, estimate, aliasesOf, recentlyUsed = [] } = options;
  const core = all.filter(isCoreTool);
  const others = all.filter((tool) => !isCoreTool(tool));
  const { search } = await openToolSearch({ tools: others, ...(aliasesOf ? { aliasesOf } : {}) });
  const recent = recentlyUsed.flatMap((name) => others.find((tool) => tool.name === name) ?? []);
  const fitting = search(prompt).map(({ tool, score }) => ({
    tool,
    score: recent.includes(tool) ? score * recentBonus : score,
  }));
  const ranked = fitting.toSorted((a, b) => b.score - a.score).map(({ tool }) => tool);
  const chosen: Tool[] = [];
  let left = limits.budgetTokens - core.reduce((sum, tool) => sum + tokensOfTool(tool, estimate), 0);
  for (const tool of new Set([...ranked, ...recent])) {
    if (chosen.length === limits.chosen) break;
    const cost = tokensOfTool(tool, estimate);
    // One with a giant schema may not push out all others; the bridge still reaches it.
    if (cost > left) continue;
    left -= cost;
    chosen.push(tool);
  }
  return [...core, ...chosen];
}

const recentBonus = 1.3;
