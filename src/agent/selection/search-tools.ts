import type { Tool } from "../../core/tool.ts";
import { indexWords, queryWords } from "./words.ts";

export interface ToolSearch {
  /** The tools that fit a description of what is to be done, best first. */
  readonly search: (query: string) => readonly FoundTool[];
}

export interface FoundTool {
  readonly tool: Tool;
  readonly score: number;
}

export interface SearchedTools {
  readonly tools: readonly Tool[];
  readonly aliasesOf?: (canonicalName: string) => readonly string[];
}

/** Ranks by words (BM25), in memory. Its library is loaded only here: most conversations offer everything they have. */
export async function openToolSearch({ tools, aliasesOf }: SearchedTools): Promise<ToolSearch> {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch<Entry>({
    fields: ["name", "aliases", "description", "category", "parameters"],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term,
  });
  index.addAll(tools.map((tool, id) => toEntry(id, tool, aliasesOf?.(tool.name) ?? [])));
  return {
    search(query) {
      const weights = queryWords(query.slice(0, longestQuery));
      if (weights.size === 0) return [];
      const found = index.search([...weights.keys()].join(" "), {
        boost: { name: 3, aliases: 2, description: 2, category: 1.5, parameters: 0.5 },
        boostTerm: (term) => weights.get(term) ?? 1,
        // Only what was really said may be a beginning or a typing mistake of something else.
        prefix: (term) => term.length > 3 && weights.get(term) === 1,
        fuzzy: (term) => (term.length > 5 && weights.get(term) === 1 ? 0.2 : false),
        weights: { prefix: 0.4, fuzzy: 0.3 },
      });
      return found.map((result) => ({ tool: tools[result.id as number]!, score: result.score }));
    },
  };
}

/** Enough to say what is wanted; a pasted log says it no better. */
const longestQuery = 2000;

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly aliases: string;
  readonly description: string;
  readonly category: string;
  readonly parameters: string;
}

function toEntry(id: number, tool: Tool, aliases: readonly string[]): Entry {
  return {
    id,
    name: toWords(tool.name),
    aliases: toWords(aliases.join(" ")),
    description: toWords(tool.description),
    category: toWords(tool.traits.category),
    parameters: toWords(parameterTexts(tool.inputSchema).join(" ")),
  };
}

function toWords(text: string): string {
  return indexWords(text).join(" ");
}

/** Names, descriptions and choices of the parameters, also of nested ones. */
function parameterTexts(schema: unknown, depth = 0): string[] {
  if (typeof schema !== "object" || schema === null || depth > 6) return [];
  const { properties, items, description, enum: choices } = schema as Readonly<Record<string, unknown>>;
  const texts: string[] = [];
  if (depth > 0 && typeof description === "string") texts.push(description);
  if (Array.isArray(choices)) texts.push(...choices.filter((choice) => typeof choice === "string"));
  for (const [name, property] of Object.entries(properties ?? {})) {
    texts.push(name, ...parameterTexts(property, depth + 1));
  }
  return [...texts, ...parameterTexts(items, depth + 1)];
}
