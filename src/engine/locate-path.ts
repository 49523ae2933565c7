import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";

/** Where a path leads. */
export interface Located {
  /**
   * Every name by which it is reached: as it was given, and again after each link on the way. All of them count,
   * because a call may act on what a link leads to or on the link itself, and after that the path means the other.
   */
  readonly names: readonly string[];
  /** It is a link, or a file with several names (hard links): a change may show, or lead, elsewhere. */
  readonly isShared: boolean;
}

/** As many as Linux follows; a path with more is a loop, which no call gets through either. */
const mostLinks = 40;

/**
 * Finds the names of files, so that two ways to one are seen as one. The end of a path need not exist yet. The
 * locator remembers what it saw, so it is only good as long as nobody makes or moves links: a batch makes a new one
 * after each call that could have.
 */
export function createPathLocator(workdir: string): (path: string) => Located {
  const namesOfFolders = new Map<string, readonly string[]>();
  const known = new Map<string, Located>();

  function locate(path: string, links: { left: number }): Located {
    const folder = dirname(path);
    if (folder === path) return { names: [path], isShared: false };
    const name = path.slice(folder.endsWith("/") ? folder.length : folder.length + 1);
    const names = namesOfFolder(folder, links).map((each) => join(each, name));
    const here = names.at(-1)!;
    const stats = statsOf(here);
    if (!stats?.isSymbolicLink()) return { names, isShared: stats !== undefined && stats.isFile() && stats.nlink > 1 };
    links.left -= 1;
    if (links.left < 0) return { names, isShared: true };
    const target = locate(resolve(dirname(here), readLink(here)), links);
    return { names: [...names, ...target.names], isShared: true };
  }

  function namesOfFolder(folder: string, links: { left: number }): readonly string[] {
    const seen = namesOfFolders.get(folder);
    if (seen) return seen;
    const { names } = locate(folder, links);
    namesOfFolders.set(folder, names);
    return names;
  }

  function find(path: string): Located {
    const located = locate(resolve(workdir, path), { left: mostLinks });
    if (!hasParentStep.test(path)) return fold(located);
    // The system follows a link before it takes the `..` behind it; a tool that tidies the path first does not. The
    // system also wants each folder to be there that the path leaves again.
    const { end, left } = walk(resolve(workdir), path);
    const walked = locate(end, { left: mostLinks });
    const passed = left.flatMap((folder) => locate(folder, { left: mostLinks }).names);
    return fold({
      names: [...located.names, ...walked.names, ...passed],
      isShared: located.isShared || walked.isShared,
    });
  }

  return (path) => {
    let located = known.get(path);
    if (!located) known.set(path, (located = find(path)));
    return located;
  };
}

const hasParentStep = /(?:^|\/)\.\.(?:\/|$)/;

/** The path with each `..` taken from where the steps before it really lead, and the folders it left on the way. */
function walk(workdir: string, path: string): { readonly end: string; readonly left: readonly string[] } {
  let at = path.startsWith("/") ? "/" : workdir;
  const left: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") {
      if (at !== workdir) left.push(at);
      at = dirname(realPath(at) ?? at);
    } else at = resolve(at, step);
  }
  return { end: at, left };
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

/** macOS takes `A` and `a` for one file by default; treating them as one is right there and harmless elsewhere. */
function fold(located: Located): Located {
  if (process.platform !== "darwin") return located;
  return { ...located, names: located.names.map((name) => name.normalize("NFC").toLowerCase()) };
}
