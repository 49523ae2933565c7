import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { basename, join } from "node:path";
import { isWithin } from "./path-name.ts";

/** A folder of the workdir. Its names are reached through it, not through a path that could mean another one by now. */
export interface OpenFolder {
  readonly holding: Holding;
  /** Absolute, without symbolic links; where it lay when it was opened. */
  readonly path: string;
  /** What to hand to `node:fs` for a name in it; "." is the folder itself. */
  at(name: string): string;
  /** Opens a folder in it. Throws the system's error; a link counts as no folder (ENOTDIR). */
  enter(name: string): OpenFolder;
  /** The same for several names at once, where that is possible in one step; undefined = go one by one. */
  enterAll(names: readonly string[]): OpenFolder | undefined;
  /** Whether it still lies in the workdir: somebody may have moved it out. */
  isInside(): boolean;
  stats(): BigIntStats;
  close(): void;
}

/**
 * How folders are held.
 * - `descriptors`: by descriptor, names through `/proc/self/fd` (Linux): no race can lead elsewhere
 * - `names`: by path, compared by device and inode before and after (macOS): a small window remains
 */
export type Holding = "descriptors" | "names";

export function bestHolding(): Holding {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? "descriptors" : "names";
}

/** Opens the workdir itself; links on the way to it are followed. */
export function openRoot(workdir: string, holding: Holding): OpenFolder {
  if (holding === "names") return holdByName(realpathSync.native(workdir));
  const descriptor = openSync(workdir, pathOnly | constants.O_DIRECTORY);
  return holdDescriptor(descriptor, { path: pathOf(descriptor) });
}

/** Opens nothing but the place itself: needs no right to read it, and has no effect on devices. Node has no name for it. */
const pathOnly = 0o10_000_000;
const folderItself = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Where what was opened really lies, as the system knows it. */
function pathOf(descriptor: number): string {
  return readlinkSync(`/proc/self/fd/${descriptor}`);
}

function holdDescriptor(descriptor: number, { path, root = path }: { path: string; root?: string }): OpenFolder {
  const start = `/proc/self/fd/${descriptor}/`;
  let isOpen = true;
  return {
    holding: "descriptors",
    path,
    at: (name) => start + name,
    enter: (name) => holdDescriptor(openSync(start + name, folderItself), { path: join(path, name), root }),
    enterAll(names) {
      const expected = join(path, ...names);
      let entered: number | undefined;
      try {
        entered = openSync(start + names.join("/"), folderItself);
        if (pathOf(entered) === expected) return holdDescriptor(entered, { path: expected, root });
      } catch {
        // Missing, a link, closed to us: going one by one tells which.
      }
      if (entered !== undefined) closeSync(entered);
      return undefined;
    },
    isInside: () => isWithin(root, pathOf(descriptor)),
    stats: () => fstatSync(descriptor, { bigint: true }),
    close() {
      // A number that was closed may be somebody else's by now.
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

function holdByName(path: string, root = path): OpenFolder {
  const found = lstatSync(path, { bigint: true });
  if (!found.isDirectory()) throw Object.assign(new Error(`${basename(path)} is no folder`), { code: "ENOTDIR" });
  return {
    holding: "names",
    path,
    at: (name) => join(path, name),
    enter: (name) => holdByName(join(path, name), root),
    enterAll: () => undefined,
    isInside() {
      const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      return now?.ino === found.ino && now.dev === found.dev && isWithin(root, realpathSync.native(path));
    },
    stats: () => found,
    close: () => undefined,
  };
}
