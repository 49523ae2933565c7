import { compileName } from "./match-name.ts";
import type { MatchName } from "./match-name.ts";
import { compilePath, matchPath } from "./path-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";

interface IgnoreRule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** A pattern without a slash fits the name at any depth, one with a slash the path from its file's folder. */
  readonly fits: { readonly name: MatchName } | { readonly path: PathPattern };
}

/** The rules of one file, and the folder they count from, as the number of names that lead to it. */
export interface IgnoreLayer {
  readonly depth: number;
  readonly rules: readonly IgnoreRule[];
}

/** Reads the text of a .gitignore as git does. Lines that are no valid pattern are left out. */
export function parseIgnoreRules(text: string): IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
    const rule = parseLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

export interface PathToCheck {
  /** All names from the file system's root to its folder. */
  readonly folder: readonly string[];
  readonly name: string;
  readonly isFolder: boolean;
}

/** Whether git would ignore a path. The layers go from the outermost in: the innermost one that knows decides. */
export function isIgnored(layers: readonly IgnoreLayer[], path: PathToCheck): boolean {
  for (let at = layers.length - 1; at >= 0; at--) {
    const { depth, rules } = layers[at]!;
    for (let index = rules.length - 1; index >= 0; index--) {
      const rule = rules[index]!;
      if (applies(rule, depth, path)) return !rule.isNegated;
    }
  }
  return false;
}

function applies({ isForFolders, fits }: IgnoreRule, depth: number, path: PathToCheck): boolean {
  if (isForFolders && !path.isFolder) return false;
  return "name" in fits ? fits.name(path.name) : matchPath(fits.path, path.folder.slice(depth), path.name);
}

function parseLine(line: string): IgnoreRule | undefined {
  if (line.startsWith("#")) return undefined;
  const isNegated = line.startsWith("!");
  const trimmed = trimSpaces(isNegated ? line.slice(1) : line);
  const isForFolders = trimmed.endsWith("/");
  const pattern = isForFolders ? trimmed.slice(0, -1) : trimmed;
  if (pattern === "") return undefined;
  if (pattern.includes("/")) {
    const path = compilePath(pattern);
    return path && path.length > 0 ? { isNegated, isForFolders, fits: { path } } : undefined;
  }
  const name = compileName(pattern);
  return name && { isNegated, isForFolders, fits: { name } };
}

/** Spaces at the end do not count, unless a backslash stands before them. */
function trimSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " " && !isEscaped(line, end - 1)) end--;
  return line.slice(0, end);
}

function isEscaped(line: string, at: number): boolean {
  let backslashes = 0;
  while (line[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
