import { RuntimeError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import type { OfferedIn, Tool } from "../core/tool.ts";
import { toolAliases } from "./aliases.ts";

/** The one list of tools and their names. Whatever speaks of a tool speaks of it by its canonical name. */
export interface Catalog {
  /** By canonical name or alias, in any case. */
  resolve(name: string): Tool | undefined;
  /** The canonical name, also of a known tool that is not offered here. */
  canonicalName(name: string): string | undefined;
  /** Only those that lead to it: a tool of that very name comes first. */
  aliasesOf(canonicalName: string): readonly string[];
  /** Names a person may have meant. */
  suggest(name: string): string[];
  list(offeredIn?: OfferedIn): Tool[];
  /** Throws DUPLICATE_TOOL when the name, or one that differs only in case, is taken. */
  add(tool: Tool): void;
  remove(canonicalName: string): boolean;
}

export function createCatalog(
  tools: readonly Tool[],
  aliases: Readonly<Record<string, readonly string[]>> = toolAliases,
): Catalog {
  const byName = new Map<string, Tool>();
  const byFold = new Map<string, Tool>();
  const canonicalByFold = new Map<string, string>();
  const aliasesByName = new Map(Object.entries(aliases));
  for (const [canonical, others] of aliasesByName) {
    for (const name of [canonical, ...others]) canonicalByFold.set(fold(name), canonical);
  }

  const catalog: Catalog = {
    resolve(name) {
      const exact = byName.get(name);
      if (exact) return exact;
      const folded = fold(name);
      // A tool's own name wins over another tool's alias.
      const own = byFold.get(folded);
      if (own) return own;
      const canonical = canonicalByFold.get(folded);
      return canonical === undefined ? undefined : byFold.get(fold(canonical));
    },
    canonicalName: (name) => catalog.resolve(name)?.name ?? canonicalByFold.get(fold(name)),
    aliasesOf: (name) => {
      const canonical = canonicalByFold.get(fold(name));
      const known = canonical === undefined ? [] : (aliasesByName.get(canonical) ?? []);
      return known.filter((alias) => !byFold.has(fold(alias)));
    },
    suggest(name) {
      const names = new Map<string, string>();
      for (const tool of byName.values()) {
        names.set(tool.name, tool.name);
        for (const alias of catalog.aliasesOf(tool.name)) names.set(alias, tool.name);
      }
      const found = nearest(name, names.keys(), 6).map((candidate) => names.get(candidate)!);
      return [...new Set(found)].slice(0, 3);
    },
    list(offeredIn) {
      const all = [...byName.values()];
      return offeredIn === undefined ? all : all.filter((tool) => tool.traits.offeredIn.includes(offeredIn));
    },
    add(tool) {
      const taken = byFold.get(fold(tool.name));
      if (taken) {
        throw new RuntimeError(
          "DUPLICATE_TOOL",
          `There is already a tool named "${taken.name}"; give "${tool.name}" a name that differs in more than case, "_" and "-".`,
        );
      }
      byName.set(tool.name, tool);
      byFold.set(fold(tool.name), tool);
    },
    remove(canonicalName) {
      if (!byName.delete(canonicalName)) return false;
      return byFold.delete(fold(canonicalName));
    },
  };
  for (const tool of tools) catalog.add(tool);
  return catalog;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}
