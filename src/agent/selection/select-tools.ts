import { createHash } from "node:crypto";
import type { Tool } from "../../core/tool.ts";
import { isBridgeTool, isCoreTool } from "./core-tools.ts";
import { openToolSearch } from "./search-tools.ts";
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
  /** Tools of the person's own, from tool files. They have a room of their own, and take none from the others. */
  readonly isOwn?: (tool: Tool) => boolean;
  /** Tools that are worth their tokens only because there are tool files. */
  readonly isForOwn?: (tool: Tool) => boolean;
  /** Tools may be added while the conversation runs, so the bridge is needed although nothing is left out. */
  readonly mayGrow?: boolean;
}

export interface SelectionLimits {
  /** Up to this many tokens and tools everything is offered: a choice would save too little to be worth a miss. */
  readonly budgetTokens: number;
  readonly maxUnchosen: number;
  /** How many are chosen besides the core. */
  readonly chosen: number;
  /** The same for the person's own tools: all of them up to here, the best fitting ones beyond. */
  readonly maxOwn: number;
  readonly ownTokens: number;
}

const defaultLimits: SelectionLimits = {
  budgetTokens: 6000,
  maxUnchosen: 24,
  chosen: 8,
  maxOwn: 16,
  ownTokens: 3000,
};

/** Chooses what a model is shown, once for a conversation. What is left out it finds through the bridge. */
export async function selectTools(options: SelectToolsOptions): Promise<Selection> {
  const { estimate, isOwn = () => false, isForOwn = () => false } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const bridge = options.tools.filter(isBridgeTool);
  const all = options.tools.filter((tool) => !isBridgeTool(tool));
  const own = all.filter(isOwn);
  const forOwn = all.filter((tool) => !isOwn(tool) && isForOwn(tool));
  const others = all.filter((tool) => !isOwn(tool) && !isForOwn(tool));
  const isSmall = others.length <= limits.maxUnchosen && tokensOf(others, estimate) < limits.budgetTokens;
  const hasRoom = own.length <= limits.maxOwn && tokensOf(own, estimate) <= limits.ownTokens;
  const chosen = [
    ...(isSmall ? others : await choose(others, options, limits)),
    ...(hasRoom ? [...own, ...forOwn] : await chooseOwn({ own, forOwn }, options, limits)),
  ];
  const isAll = isSmall && hasRoom && !options.mayGrow;
  return freezeSelection({ chosen: isAll ? chosen : [...chosen, ...bridge], tools: options.tools, estimate });
}

/** Those that fit best, with the one that lists them all. */
async function chooseOwn(
  { own, forOwn }: { readonly own: readonly Tool[]; readonly forOwn: readonly Tool[] },
  options: SelectToolsOptions,
  limits: SelectionLimits,
): Promise<Tool[]> {
  const ranked = await rankTools(own, options);
  const chosen = fill(new Set([...ranked, ...own]), {
    estimate: options.estimate,
    most: limits.maxOwn,
    tokens: limits.ownTokens,
  });
  return [...chosen, ...forOwn.filter(({ name }) => name === "list_custom_tools")];
}

function tokensOf(tools: readonly Tool[], estimate: EstimateTokens): number {
  return tools.reduce((sum, tool) => sum + tokensOfTool(tool, estimate), 0);
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
  const { estimate } = options;
  const core = all.filter(isCoreTool);
  const others = all.filter((tool) => !isCoreTool(tool));
  const tokens = limits.budgetTokens - tokensOf(core, estimate);
  return [...core, ...fill(await rankTools(others, options), { estimate, most: limits.chosen, tokens })];
}

/** Those that fit the prompt, best first, then those that were used lately. */
async function rankTools(tools: readonly Tool[], options: SelectToolsOptions): Promise<ReadonlySet<Tool>> {
  const { prompt, aliasesOf, recentlyUsed = [] } = options;
  const { search } = await openToolSearch({ tools, ...(aliasesOf ? { aliasesOf } : {}) });
  const recent = recentlyUsed.flatMap((name) => tools.find((tool) => tool.name === name) ?? []);
  const fitting = search(prompt).map(({ tool, score }) => ({
    tool,
    score: recent.includes(tool) ? score * recentBonus : score,
  }));
  const ranked = fitting.toSorted((a, b) => b.score - a.score).map(({ tool }) => tool);
  return new Set([...ranked, ...recent]);
}

interface Room {
  readonly estimate: EstimateTokens;
  readonly most: number;
  readonly tokens: number;
}

function fill(tools: Iterable<Tool>, { estimate, most, tokens }: Room): Tool[] {
  const chosen: Tool[] = [];
  let left = tokens;
  for (const tool of tools) {
    if (chosen.length === most) break;
    const cost = tokensOfTool(tool, estimate);
    // One with a giant schema may not push out all others; the bridge still reaches it.
    if (cost > left) continue;
    left -= cost;
    chosen.push(tool);
  }
  return chosen;
}

const recentBonus = 1.3;

/** Names that were chosen before for the same tools and the same words. */
export interface SelectionCache {
  get(key: string): readonly string[] | undefined;
  set(key: string, names: readonly string[]): void;
}

/** In memory; the least recently used choice goes first. */
export function createSelectionCache(maxEntries = 200): SelectionCache {
  const entries = new Map<string, readonly string[]>();
  return {
    get(key) {
      const names = entries.get(key);
      if (names) {
        entries.delete(key);
        entries.set(key, names);
      }
      return names;
    },
    set(key, names) {
      entries.delete(key);
      entries.set(key, names);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

export interface ChoiceToKey {
  readonly tools: readonly Tool[];
  readonly prompt: string;
  /** All else that the choice depends on. */
  readonly settings: readonly unknown[];
}

/** Changes with any tool's name, description or schema; not with spaces and case of the prompt. */
function selectionKey({ tools, prompt, settings }: ChoiceToKey): string {
  const words = prompt.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  const hash = createHash("sha256").update(JSON.stringify([words, settings]));
  for (const { name, description, inputSchema } of tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(JSON.stringify([name, description, inputSchema]));
  }
  return hash.digest("hex");
}
