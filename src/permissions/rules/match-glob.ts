import { readdirSync } from "node:fs";
import type { Word } from "../../../packages/command-analysis/src/simple-command.ts";

/**
 * Whether a path fits a pattern: `*` and `?` stay within one name, `**` crosses any number of them. Our own matcher, in time
 * proportional to both lengths: patterns come from files that others may have written.
 */
export function matchPath(pattern: string, path: string): boolean {
  return matchParts(normalize(pattern), normalize(path));
}

/** Whether one word fits a pattern whose `*` stands for any text. */
export function matchText(pattern: string, text: string): boolean {
  return matchGreedy(pattern.length, text.length, {
    isWild: (at) => pattern[at] === "*",
    fits: (at, index) => pattern[at] === text[index],
  });
}

function normalize(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return path.endsWith("/") ? [...parts, "**"] : parts;
}

function matchParts(pattern: readonly string[], path: readonly string[]): boolean {
  return matchGreedy(pattern.length, path.length, {
    isWild: (at) => pattern[at] === "**",
    fits: (at, index) => matchName(pattern[at]!, path[index]!),
  });
}

/** One name of a path. */
export function matchName(pattern: string, name: string): boolean {
  return matchGreedy(pattern.length, name.length, {
    isWild: (at) => pattern[at] === "*",
    fits: (at, index) => pattern[at] === "?" || pattern[at] === name[index],
  });
}

interface Comparison {
  readonly isWild: (at: number) => boolean;
  readonly fits: (at: number, index: number) => boolean;
}

/** The usual two pointers: after a mismatch the last wildcard takes one more. */
function matchGreedy(patternLength: number, length: number, { isWild, fits }: Comparison): boolean {
  let at = 0;
  let index = 0;
  let wildAt = -1;
  let wildIndex = 0;
  while (index < length) {
    if (at < patternLength && isWild(at)) {
      wildAt = at;
      wildIndex = index;
      at += 1;
    } else if (at < patternLength && fits(at, index)) {
      at += 1;
      index += 1;
    } else if (wildAt >= 0) {
      at = wildAt + 1;
      wildIndex += 1;
      index = wildIndex;
    } else return false;
  }
  while (at < patternLength && isWild(at)) at += 1;
  return at === patternLength;
}

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
