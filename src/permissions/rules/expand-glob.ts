import { readdirSync } from "node:fs";
import type { Word } from "../../../packages/command-analysis/src/simple-command.ts";
import { matchName } from "./match-glob.ts";

const mostNames = 2000;

/**
 * The paths that a shell could put in place of a word with a pattern in it, as written, `..` included; null when there are too
 * many to look at, or the pattern itself is not known. A plain class (`[a-z]`) counts as any one character; from any other
 * (`[[:alpha:]]`, `[]x]`) or a group (`@(a|b)`) on, whatever follows counts as fitting.
 */
export function expandGlob({ text, isVague }: Pick<Word, "text" | "isVague">, cwd: string): string[] | null {
  if (/[$`]/.test(text)) return null;
  let found: string[] = [text.startsWith("/") ? "/" : ""];
  for (const written of text.split("/")) {
    if (written === "") continue;
    const part = isVague ? written : written.replaceAll(plainClass, "?");
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
/** Whose end nobody can mistake: what follows has no further `]` that could be it. */
const plainClass = /\[[!^]?[\w.,@%+-]+\](?=[^\]]*(?:\[|$))/g;
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
