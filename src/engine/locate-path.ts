import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * One name per file, so that two ways to it are seen as one: links resolved, also of a path whose end does not exist
 * yet. The locator remembers folders, so it is only good as long as nobody changes links: a batch makes a new one
 * after each call that could have.
 */
export function createPathLocator(workdir: string): (path: string) => string {
  const realFolders = new Map<string, string>();

  function locate(path: string, links: number): string {
    const folder = dirname(path);
    if (folder === path) return path;
    const here = join(realFolder(folder, links), path.slice(folder.length + (folder.endsWith("/") ? 0 : 1)));
    // Too many links in a row: a loop, which no call will get through either.
    if (links > 40 || !isLink(here)) return here;
    return locate(resolve(dirname(here), readLink(here)), links + 1);
  }

  function realFolder(folder: string, links: number): string {
    const known = realFolders.get(folder);
    if (known !== undefined) return known;
    const real = realPath(folder) ?? locate(folder, links);
    realFolders.set(folder, real);
    return real;
  }

  return (path) => foldCase(locate(resolve(workdir, path), 0));
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

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false; // as above
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
function foldCase(path: string): string {
  return process.platform === "darwin" ? path.normalize("NFC").toLowerCase() : path;
}
