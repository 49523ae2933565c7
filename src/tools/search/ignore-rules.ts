import { lstat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { readOwnStart } from "../files/open-file.ts";
import { compilePath, matchPath, type PathPattern } from "./glob-pattern.ts";
import { compileName, type MatchName } from "./match-name.ts";

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
function parseIgnoreRules(text: string): IgnoreRule[] {
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

const longestFile = 1_000_000;

/** The rules that count for what lies in a folder: those of the folders above it, from its repository's root down. */
export async function loadRulesAbove(folder: string): Promise<readonly IgnoreLayer[]> {
  if (dirname(folder) === folder) return [];
  const parent = dirname(folder);
  const isRepository = await exists(join(parent, ".git"));
  const above = isRepository ? [] : await loadRulesAbove(parent);
  return loadRulesIn({ path: parent, at: (name) => join(parent, name) }, above, { isRepository, hasIgnoreFile: true });
}

/** A folder by its path, and the way to the files in it. */
interface Folder {
  readonly path: string;
  at(name: string): string;
}

/** The rules above plus a folder's own. A repository starts over: what lies around it is not its concern. */
export async function loadRulesIn(
  folder: Folder,
  above: readonly IgnoreLayer[],
  { isRepository, hasIgnoreFile }: { isRepository: boolean; hasIgnoreFile: boolean },
): Promise<readonly IgnoreLayer[]> {
  if (!isRepository && !hasIgnoreFile) return above;
  const depth = namesOf(folder.path).length;
  const excluded = isRepository ? parseIgnoreRules(await readText(await excludeFile(folder))) : [];
  const ignored = hasIgnoreFile ? parseIgnoreRules(await readText(folder.at(".gitignore"))) : [];
  const own = [excluded, ignored].filter((rules) => rules.length > 0).map((rules) => ({ depth, rules }));
  return isRepository ? own : [...above, ...own];
}

/** The names that lead to an absolute path. */
export function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== "");
}

/** In a linked work tree `.git` is a file that names another folder, which names the common one. */
async function excludeFile(repository: Folder): Promise<string> {
  const link = /^gitdir: (.+)/.exec(await readText(repository.at(".git")))?.[1];
  if (link === undefined) return repository.at(".git/info/exclude");
  const own = resolve(repository.path, link);
  const common = (await readText(join(own, "commondir"))).trim();
  return join(resolve(own, common), "info", "exclude");
}

async function readText(path: string): Promise<string> {
  return (await readOwnStart(path, longestFile)).toString("utf8");
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
