import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { codeOf } from "../../core/errors.ts";
import { ownFolder } from "../../guard/path/judge-path.ts";
import type { OpenFolder } from "../../guard/path/open-folder.ts";
import { type IgnoreLayer, isIgnored, loadRulesAbove, loadRulesIn, namesOf } from "./ignore-rules.ts";

export interface TreeEntry {
  /** The names that lead to its folder from the root of the walk. */
  readonly folder: readonly string[];
  readonly name: string;
  /** `folder` and `name` joined by slashes. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface Walk {
  readonly root: OpenFolder;
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
  const rootNames = namesOf(walk.root.path);
  const above = walk.includeIgnored ? [] : await loadRulesAbove(walk.root.path);
  let level: Folder[] = [{ names: [], rules: above }];
  let unreadable = 0;
  let isStopped = false;

  async function readFolder({ names, rules }: Folder): Promise<ReadFolder | undefined> {
    let open: OpenFolder | undefined;
    try {
      open = enterFolder(walk.root, names);
      const entries = await readdir(open.at("."), { withFileTypes: true });
      if (!open.isInside()) throw Object.assign(new Error("It was moved away"), { code: "ENOENT" });
      if (walk.isSorted) entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      if (walk.includeIgnored) return { names, rules: [], entries };
      const has = (name: string): boolean => entries.some((entry) => entry.name === name);
      const own = { isRepository: has(".git"), hasIgnoreFile: has(".gitignore") };
      return { names, rules: await loadRulesIn(open, rules, own), entries };
    } catch (thrown) {
      // Gone since it was seen, a link by now, or closed to us.
      if (names.length === 0 || codeOf(thrown) === undefined) throw thrown;
      unreadable += 1;
      return undefined;
    } finally {
      if (open !== walk.root) open?.close();
    }
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

/** Opens a folder of a tree, by names that were no links when they were seen; the root itself is handed back as it is. */
export function enterFolder(root: OpenFolder, names: readonly string[]): OpenFolder {
  if (names.length === 0) return root;
  const entered = names.length > 1 ? root.enterAll(names) : undefined;
  if (entered !== undefined) return entered;
  let folder = root;
  for (const name of names) {
    const next = folder.enter(name);
    if (folder !== root) folder.close();
    folder = next;
  }
  return folder;
}

/** After so many entries others get their turn: one look is far shorter than the way to a thread and back. */
const lookedAtOnce = 128;

/** Asks something of each entry, by a way to it that goes through its folder. Those that can't be reached any more are missing. */
export async function lookAt<Seen>(
  { root, signal }: Pick<Walk, "root" | "signal">,
  entries: readonly TreeEntry[],
  look: (path: string, entry: TreeEntry) => Seen,
): Promise<Map<TreeEntry, Seen>> {
  const seen = new Map<TreeEntry, Seen>();
  let count = 0;
  for (const inside of Map.groupBy(entries, ({ folder }) => folder.join("/")).values()) {
    let folder: OpenFolder | undefined;
    try {
      folder = enterFolder(root, inside[0]!.folder);
      for (const entry of inside) {
        seen.set(entry, look(folder.at(entry.name), entry));
        if (++count % lookedAtOnce === 0) await nextTurn(undefined, { signal });
      }
    } catch (thrown) {
      if (codeOf(thrown) === undefined || signal.aborted) throw thrown;
    } finally {
      if (folder !== root) folder?.close();
    }
  }
  return seen;
}

function kindOf(entry: Dirent): TreeEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
