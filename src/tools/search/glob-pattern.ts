import { type Failure, failure } from "../failure.ts";
import { compileName, type MatchName } from "./match-name.ts";

export interface GlobPattern {
  readonly ok: true;
  /** `folder`: the names that lead to it from where the pattern applies. */
  matches(folder: readonly string[], name: string, isFolder: boolean): boolean;
  couldContain(folder: readonly string[]): boolean;
  /** Patterns for the last name of a path, one of which fits whenever `matches` does; with only `*` as a sign. */
  readonly lastNames: readonly string[];
}

const longest = 1000;

/**
 * The patterns of glob, and of grep's `glob`: `*`, `?`, `[…]` within a name, `**` across folders, `{a,b}` for
 * alternatives. As in .gitignore, one without a slash fits names at any depth; one that ends in a slash fits folders.
 */
export function compileGlob(pattern: string): GlobPattern | Failure {
  const problem = problemWith(pattern);
  if (problem !== undefined) return failure("pattern", problem[0], problem[1]);
  const alternatives = expandBraces(pattern);
  if (!Array.isArray(alternatives))
    return failure("pattern", `The pattern ${pattern} ${alternatives.problem}.`, "Write it in another way.");
  const compiled: { path: PathPattern; isForFolders: boolean }[] = [];
  for (const alternative of alternatives) {
    const isForFolders = alternative.endsWith("/");
    const atAnyDepth = !alternative.slice(0, -1).includes("/");
    const path = compilePath(atAnyDepth ? `**/${alternative}` : alternative);
    if (path === undefined)
      return failure("pattern", `The pattern ${pattern} has a [ without its ].`, "Write \\[ for the character itself.");
    compiled.push({ path, isForFolders });
  }
  return {
    ok: true,
    matches: (folder, name, isFolder) =>
      compiled.some(({ path, isForFolders }) => isForFolders === isFolder && matchPath(path, folder, name)),
    couldContain: (folder) => compiled.some(({ path }) => couldContain(path, folder)),
    lastNames: [...new Set(alternatives.map(lastName))],
  };
}

function problemWith(pattern: string): readonly [error: string, hint: string] | undefined {
  if (pattern === "") return ["The pattern is empty.", "Send one such as **/*.ts."];
  if (pattern.length > longest) return ["The pattern is longer than 1,000 characters.", "Send a shorter one."];
  if (pattern.includes("\0")) return ["The pattern contains a NUL character.", "Send it without that character."];
  if (pattern.startsWith("/"))
    return [`The pattern ${pattern} is absolute.`, "Make it relative; put the folder in path."];
  if (pattern.startsWith("!"))
    return [`The pattern ${pattern} begins with "!".`, "Say what to find, not what to leave out."];
  if (pattern.split(/[/{},]/).includes(".."))
    return [`The pattern ${pattern} leaves the folder by "..".`, "Put the folder in path."];
  return undefined;
}

/** Wider than the pattern where it is not simple: it only has to be a quick first choice. */
function lastName(alternative: string): string {
  const name = alternative.replace(/\/$/, "").split("/").at(-1) ?? "*";
  return /^[\w.*\- ]+$/.test(name) ? name.replaceAll(/\*+/g, "*") : "*";
}

const mostAlternatives = 500;

/** `a{b,c}` → `ab`, `ac`, nested ones too; or what is wrong. Braces after `\` and inside `[…]` are plain characters. */
function expandBraces(pattern: string): string[] | { readonly problem: string } {
  const open = findOpen(pattern);
  if (open === -1) return [pattern];
  const parts = splitGroup(pattern, open);
  if (parts === undefined) return { problem: "has a { without its }" };
  const rest = expandBraces(parts.rest);
  if (!Array.isArray(rest)) return rest;
  const before = pattern.slice(0, open);
  const expanded: string[] = [];
  for (const option of parts.options) {
    const inner = expandBraces(option);
    if (!Array.isArray(inner)) return inner;
    if (expanded.length + inner.length * rest.length > mostAlternatives) {
      return { problem: `has more than ${mostAlternatives} alternatives in braces` };
    }
    for (const middle of inner) for (const end of rest) expanded.push(before + middle + end);
  }
  return expanded;
}

function findOpen(pattern: string): number {
  for (let at = 0; at < pattern.length; at = skip(pattern, at)) if (pattern[at] === "{") return at;
  return -1;
}

/** The next position, past an escaped character or a set. */
function skip(pattern: string, at: number): number {
  if (pattern[at] === "\\") return at + 2;
  if (pattern[at] !== "[") return at + 1;
  const negated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
  const close = pattern.indexOf("]", at + (negated ? 3 : 2));
  return close === -1 ? at + 1 : close + 1;
}

function splitGroup(pattern: string, open: number): { options: string[]; rest: string } | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < pattern.length; at = skip(pattern, at)) {
    const character = pattern[at];
    if (character === "{") depth++;
    if (character === "," && depth === 1) {
      options.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (character === "}" && --depth === 0) {
      options.push(pattern.slice(from, at));
      return { options, rest: pattern.slice(at + 1) };
    }
  }
  return undefined;
}

/** A pattern for a path: one part for each name, `**` for any number of names. */
export type PathPattern = readonly (MatchName | "**")[];

/** Undefined when a part is not a valid pattern. Empty and "." parts are left out. */
export function compilePath(pattern: string): PathPattern | undefined {
  const parts: (MatchName | "**")[] = [];
  for (const part of pattern.split("/")) {
    if (part === "" || part === ".") continue;
    const compiled = /^\*{2,}$/.test(part) ? "**" : compileName(part);
    if (compiled === undefined) return undefined;
    if (compiled !== "**" || parts.at(-1) !== "**") parts.push(compiled);
  }
  return parts;
}

/** Whether `folder/name` fits. A `**` at the end stands for at least one name. */
export function matchPath(pattern: PathPattern, folder: readonly string[], name: string): boolean {
  const last = pattern.at(-1);
  // Most paths fail or pass by their last name, which spares looking at the rest.
  if (last === undefined || (last !== "**" && !last(name))) return false;
  if (pattern.length === 2 && pattern[0] === "**") return true;
  return matchNames(pattern, [...folder, name]);
}

/** Whether something below that folder could fit. */
function couldContain(pattern: PathPattern, folder: readonly string[]): boolean {
  for (const [at, name] of folder.entries()) {
    const part = pattern[at];
    if (part === "**") return true;
    if (part === undefined || !part(name)) return false;
  }
  return pattern.length > folder.length;
}

function matchNames(pattern: PathPattern, names: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < names.length) {
    const current = pattern[part];
    if (current === "**") {
      if (part === pattern.length - 1) return true;
      star = part++;
      starAt = at;
    } else if (current?.(names[at]!)) {
      part++;
      at++;
    } else if (star !== -1) {
      // Only the last `**` has to take one more name.
      part = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return part === pattern.length;
}
