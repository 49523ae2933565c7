import { readdirSync } from "node:fs";
import { matchName } from "./match-glob.ts";

const mostNames = 2000;

/**
 * The paths that a shell could put in place of a word with a pattern in it, as written, `..` included; null when there are too
 * many to look at, or the pattern itself is not known. From a class (`[a-z]`, `[[:alpha:]]`, `[]x]`) or a group (`@(a|b)`) on,
 * any further characters count as fitting: where those end depends on quotes that are gone here.
 */
export function expandGlob(word: string, cwd: string): string[] | null {
  if (/[$`]/.test(word)) return null;
  let found: string[] = [word.startsWith("/") ? "/" : ""];
  for (const part of word.split("/")) {
    if (part === "") continue;
    if (!hasPattern.test(part)) found = found.map((path) => extend(path, part));
    else found = found.flatMap((path) => matching(within(cwd, path), part).map((name) => extend(path, name)));
    if (found.length > mostNames) return null;
  }
  return found;
}

/** The path seen from a folder, nothing of it resolved: the system goes up from where a link leads, not from its name. */
export function within(folder: string, path: string): string {
  return path.startsWith("/") ? path : extend(folder, path);
}

const hasPattern = /[*?[]|[@+!]\(/;
const classOrGroup = /\[|[*?@+!]\(/;

function extend(path: string, name: string): string {
  return path === "" || path.endsWith("/") ? path + name : `${path}/${name}`;
}

function matching(folder: string, part: string): string[] {
  const cut = part.search(classOrGroup);
  const pattern = cut < 0 ? part : `${part.slice(0, cut)}*`;
  // As the shell does it: only a written dot is one at the beginning, also that of a group's alternative.
  const seesHidden = part.startsWith(".") || (cut === 0 && !part.startsWith("["));
  try {
    // Older shells count these among the names that `.*` means.
    const names = [...readdirSync(folder), ".", ".."];
    return names.filter((name) => (!name.startsWith(".") || seesHidden) && matchName(pattern, name));
  } catch {
    return [];
  }
}
