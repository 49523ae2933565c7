import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";

/** Where a path leads. */
export interface Located {
  /**
   * Every name by which it is reached: as it was given, and again after each link on the way. All of them count,
   * because a call may act on what a link leads to or on the link itself, and after that the path means the other.
   */
  readonly names: readonly string[];
  /** The last name but the links': the path itself is a link. */
  readonly isLink: boolean;
  /** Equal for two names of one file that has several (hard links). */
  readonly inode: string | null;
}

/** As many as Linux follows; a path with more is a loop, which no call gets through either. */
const mostLinks = 40;

/**
 * Finds the names of files, so that two ways to one are seen as one. The end of a path need not exist yet. The
 * locator remembers folders, so it is only good as long as nobody makes or moves links: a batch makes a new one after
 * each call that could have.
 */
export function createPathLocator(workdir: string): (path: string) => Located {
  const namesOfFolders = new Map<string, readonly string[]>();

  function locate(path: string, links: { left: number }): Located {
    const folder = dirname(path);
    if (folder === path) return { names: [path], isLink: false, inode: null };
    const name = path.slice(folder.endsWith("/") ? folder.length : folder.length + 1);
    const names = namesOfFolder(folder, links).map((each) => join(each, name));
    const here = names.at(-1)!;
    const stats = statsOf(here);
    if (!stats?.isSymbolicLink()) return { names, isLink: false, inode: inodeOf(stats) };
    links.left -= 1;
    if (links.left < 0) return { names, isLink: true, inode: null };
    const target = locate(resolve(dirname(here), readLink(here)), links);
    return { names: [...names, ...target.names], isLink: true, inode: target.inode };
  }

  function namesOfFolder(folder: string, links: { left: number }): readonly string[] {
    const known = namesOfFolders.get(folder);
    if (known) return known;
    const names = realPath(folder) === folder ? [folder] : locate(folder, links).names;
    namesOfFolders.set(folder, names);
    return names;
  }

  return (path) => {
    const located = locate(resolve(workdir, path), { left: mostLinks });
    if (!hasParentStep.test(path)) return fold(located);
    // The system follows a link before it takes the `..` behind it; a tool that tidies the path first does not.
    const walked = locate(walk(resolve(workdir), path), { left: mostLinks });
    return fold({ ...walked, names: [...located.names, ...walked.names], isLink: located.isLink || walked.isLink });
  };
}

const hasParentStep = /(?:^|\/)\.\.(?:\/|$)/;

/** The path with each `..` taken from where the steps before it really lead. */
function walk(workdir: string, path: string): string {
  let at = path.startsWith("/") ? "/" : workdir;
  for (const step of path.split("/")) {
    if (step === "..") at = dirname(realPath(at) ?? at);
    else at = resolve(at, step);
  }
  return at;
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // missing, unreadable or not a path at all: the caller goes by its name
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // as above
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return path; // replaced meanwhile
  }
}

function inodeOf(stats: Stats | undefined): string | null {
  return stats?.isFile() && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : null;
}

/** macOS takes `A` and `a` for one file by default; treating them as one is right there and harmless elsewhere. */
function fold(located: Located): Located {
  if (process.platform !== "darwin") return located;
  return { ...located, names: located.names.map((name) => name.normalize("NFC").toLowerCase()) };
}
