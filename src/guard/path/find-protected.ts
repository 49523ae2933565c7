import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { foldName } from "./path-name.ts";
import { findGitSettings, reasonOfLast } from "./protected-names.ts";

export interface FoundBelow {
  /** Protected files and folders that exist, absolute, the nearest first; of `.git` what makes git run something. */
  readonly protected: readonly string[];
  /** What exists and a deny rule keeps from being written, absolute; of a folder that is covered whole, the folder. */
  readonly denied: readonly string[];
  readonly sockets: readonly string[];
  /** False: there is more below than was looked at. */
  readonly isWhole: boolean;
}

/** A command waits for this walk, and each name that it finds becomes mounts of its own. */
const maxFolders = 2000;
const maxNames = 200;

/** What others wrote and nobody opens as a project; the data folder is protected as a whole. */
const skipped = new Set(["node_modules", ".deckhand", ".venv", "venv", "__pycache__"]);

/** File systems tell times in ticks: a change within the tick of the look would go unseen. */
const tickNs = 50_000_000n;

interface SeenFolder {
  readonly changedNs: bigint;
  readonly inode: bigint;
  readonly entries: FolderEntries;
}

interface FolderEntries {
  readonly protected: readonly string[];
  /** Of which a folder can hold any number: names in other letters, workspace files. */
  readonly furtherProtected: readonly string[];
  readonly denied: readonly string[];
  readonly folders: readonly string[];
  readonly sockets: readonly string[];
}

/**
 * Looks for protected names, and for what deny rules cover (`isDenied`, by the path from `root`), in a folder and below it. A folder
 * that has not changed since the last look is not read again.
 */
export function createProtectedFinder(
  root: string,
  isDenied: (path: string) => boolean = () => false,
): () => FoundBelow {
  let seen = new Map<string, SeenFolder>();

  function look(folder: string, names: readonly string[]): FolderEntries {
    const stats = lstatSync(folder, { bigint: true });
    const known = seen.get(folder);
    if (known?.changedNs === stats.ctimeNs && known.inode === stats.ino) return known.entries;
    const entries = readEntries(folder, names, (name) => isDenied(relative(root, join(folder, name))));
    const isSettled = BigInt(Date.now()) * 1_000_000n - stats.ctimeNs > tickNs;
    if (isSettled) seen.set(folder, { changedNs: stats.ctimeNs, inode: stats.ino, entries });
    else seen.delete(folder);
    return entries;
  }

  return () => {
    const found: string[] = [];
    const further: string[] = [];
    const denied: string[] = [];
    const sockets: string[] = [];
    const visited = new Set<string>();
    const waiting: { readonly folder: string; readonly names: readonly string[] }[] = [{ folder: root, names: [] }];
    let at = 0;
    for (; at < waiting.length && at < maxFolders && found.length < maxNames; at += 1) {
      const { folder, names } = waiting[at]!;
      try {
        const entries = look(folder, names);
        visited.add(folder);
        for (const name of entries.protected) found.push(...protectedIn(folder, name));
        for (const name of entries.furtherProtected) further.push(join(folder, name));
        for (const name of entries.denied) denied.push(join(folder, name));
        for (const name of entries.sockets) sockets.push(join(folder, name));
        for (const name of entries.folders) {
          waiting.push({ folder: join(folder, name), names: [...names, foldName(name)] });
        }
      } catch {
        // It is gone, or may not be read: then commands find nothing there either.
      }
    }
    const isWhole = at >= waiting.length;
    if (isWhole) seen = new Map([...seen].filter(([folder]) => visited.has(folder)));
    // So that nobody can push out the usual names by making many of the others.
    return {
      protected: [...found, ...further].slice(0, maxNames),
      denied: denied.slice(0, maxNames),
      sockets,
      isWhole,
    };
  };
}

function readEntries(folder: string, names: readonly string[], isDenied: (name: string) => boolean): FolderEntries {
  const found = {
    protected: [] as string[],
    furtherProtected: [] as string[],
    denied: [] as string[],
    folders: [] as string[],
    sockets: [] as string[],
  };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const folded = foldName(entry.name);
    if (reasonOfLast([...names, folded]) !== undefined) {
      const isUsual = entry.name === folded && !folded.endsWith(".code-workspace");
      (isUsual ? found.protected : found.furtherProtected).push(entry.name);
    } else if (isDenied(entry.name)) found.denied.push(entry.name);
    else if (entry.isSocket()) found.sockets.push(entry.name);
    else if (entry.isDirectory() && !skipped.has(folded)) found.folders.push(entry.name);
  }
  return found;
}

/** Commands must be able to commit, so of a repository only what makes git run something is protected. */
function protectedIn(folder: string, name: string): string[] {
  const path = join(folder, name);
  if (foldName(name) !== ".git" || !lstatSync(path).isDirectory()) return [path];
  const own = [join(path, "hooks"), join(path, "config")].filter((each) => existsSync(each));
  return [...own, ...findGitSettings(folder)];
}
