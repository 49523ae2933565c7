import { lstat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { parseIgnoreRules } from "./ignore-rules.ts";
import type { IgnoreLayer } from "./ignore-rules.ts";
import { readOwnStart } from "../files/read-start.ts";

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
