import { createHash } from "node:crypto";

const longestName = 64;

/**
 * A name for each tool that every provider takes, and that no other tool of any server has: `server__tool`. It follows from the two
 * names alone, so that rules, grants and sessions stay right; where something had to be changed or cut, a hash tells it apart.
 */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const tool of tools.toSorted()) {
    const plain = `${server}__${tool}`;
    const name = isFit(plain) && !taken.has(fold(plain)) ? plain : withHash(plain);
    taken.add(fold(name));
    names.set(tool, name);
  }
  return names;
}

/** Gemini wants a letter or "_" first; all others take less. */
function isFit(name: string): boolean {
  return name.length <= longestName && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

function withHash(plain: string): string {
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 8);
  const safe = plain.replaceAll(/[^A-Za-z0-9_-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  return `${safe.slice(0, longestName - hash.length - 1)}_${hash}`;
}

/** As the catalog tells names apart. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
