import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../core/errors.ts";
import { isIgnored } from "./ignore-rules.ts";
import type { IgnoreLayer } from "./ignore-rules.ts";
import { loadRulesAbove, loadRulesIn, namesOf } from "./load-ignore-rules.ts";
import { ownFolder } from "./own-folder.ts";

export interface TreeEntry {
  /** The names that lead to its folder from the root of the walk. */
  readonly folder: readonly string[];
  readonly name: string;
  /** `folder` and `name` joined by slashes. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface Walk {
  /** Absolute, without symbolic links. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Also what git ignores. `.git` is never entered and `.deckhand` never shown: name them as the root to see inside. */
  readonly includeIgnored: boolean;
  /** 1 = what lies directly in the root. */
  readonly maxDepth: number;
  /** The entries of a folder in the order of their names; costs time where there are many. */
  readonly isSorted?: boolean;
  /** Whether to look into a folder. */
  enters?(folder: readonly string[]): boolean;
  /** Called once for each entry that is not ignored, folders before what is in them. "stop" ends the walk. */
  visit(entry: TreeEntry): "stop" | undefined;
  /** Called for what is left out because git ignores it. */
  leavesOut?(entry: TreeEntry): void;
}

interface Folder {
  readonly names: readonly string[];
  readonly rules: readonly IgnoreLayer[];
}

interface ReadFolder extends Folder {
  readonly entries: readonly Dirent[];
}

/** As many folders are read at once; more would only queue for the thread pool. */
const atOnce = 8;

/**
 * Walks a tree level by level without following symbolic links. Folders that can't be read are counted, not fatal;
 * only the root itself must be readable.
 */
export async function walkTree(walk: Walk): Promise<{ readonly unreadable: number }> {
  const rootNames = namesOf(walk.root);
  const above = walk.includeIgnored ? [] : await loadRulesAbove(walk.root);
  let level: Folder[] = [{ names: [], rules: above }];
  let unreadable = 0;
  let isStopped = false;

  async function readFolder(folder: Folder): Promise<ReadFolder | undefined> {
    const path = join(walk.root, ...folder.names);
    const entries = await readEntries(path, folder.names.length === 0);
    if (entries === undefined) {
      unreadable += 1;
      return undefined;
    }
    if (walk.isSorted) entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (walk.includeIgnored) return { names: folder.names, rules: [], entries };
    const has = (name: string): boolean => entries.some((entry) => entry.name === name);
    const own = { isRepository: has(".git"), hasIgnoreFile: has(".gitignore") };
    return { names: folder.names, rules: await loadRulesIn(path, folder.rules, own), entries };
  }

  function visitEntries({ names, rules, entries }: ReadFolder): Folder[] {
    const inner: Folder[] = [];
    const start = names.map((name) => `${name}/`).join("");
    const fullNames = [...rootNames, ...names];
    for (const dirent of entries) {
      if (isStopped) break;
      const { name } = dirent;
      if (name === ownFolder || (name === ".git" && !walk.includeIgnored)) continue;
      const entry: TreeEntry = { folder: names, name, path: start + name, kind: kindOf(dirent) };
      const isFolder = entry.kind === "folder";
      if (rules.length > 0 && isIgnored(rules, { folder: fullNames, name, isFolder })) {
        walk.leavesOut?.(entry);
        continue;
      }
      isStopped ||= walk.visit(entry) === "stop";
      if (!isFolder || name === ".git" || names.length + 1 >= walk.maxDepth) continue;
      const below = [...names, name];
      if (walk.enters?.(below) ?? true) inner.push({ names: below, rules });
    }
    return inner;
  }

  while (level.length > 0 && !isStopped) {
    const next: Folder[][] = [];
    for (let at = 0; at < level.length && !isStopped; at += atOnce) {
      walk.signal.throwIfAborted();
      const read = await Promise.all(level.slice(at, at + atOnce).map(readFolder));
      for (const folder of read) if (folder !== undefined) next.push(visitEntries(folder));
    }
    level = next.flat();
  }
  return { unreadable };
}

async function readEntries(path: string, isRoot: boolean): Promise<Dirent[] | undefined> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (thrown) {
    // Gone since it was seen, or closed to us.
    if (isRoot || codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}

function kindOf(entry: Dirent): TreeEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
