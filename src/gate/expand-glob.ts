import { readdirSync } from "node:fs";
import { join } from "node:path";
import { matchName } from "./match-glob.ts";

const mostNames = 2000;

/**
 * The paths that a shell would put in place of a word with `*`, `?` or `[ ]` in it, as written; null when there are too many
 * to look at. A class of characters counts as any character.
 */
export function expandGlob(word: string, cwd: string): string[] | null {
  const parts = word.replaceAll(/\[[^\]/]*\]/g, "?").split("/");
  let found: string[] = [word.startsWith("/") ? "/" : ""];
  for (const part of parts) {
    if (part === "") continue;
    if (!/[*?]/.test(part)) found = found.map((path) => join(path, part));
    else found = found.flatMap((path) => matching(join(cwd, path), part).map((name) => join(path, name)));
    if (found.length > mostNames) return null;
  }
  return found;
}

function matching(folder: string, pattern: string): string[] {
  try {
    const names = readdirSync(folder);
    // As the shell does it: a star is no dot at the beginning.
    return names.filter((name) => (!name.startsWith(".") || pattern.startsWith(".")) && matchName(pattern, name));
  } catch {
    return [];
  }
}
