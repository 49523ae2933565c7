import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Place } from "./find-place.ts";
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

export interface OpenedRegular {
  readonly ok: true;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** What is no regular file, or `moved`: it left the workdir, or became another file, while it was opened. */
export type NotOpened =
  | { readonly ok: false; readonly kind: "missing" | "moved" }
  | { readonly ok: false; readonly kind: "not_regular"; readonly stats: BigIntStats };

/**
 * Opens a regular file of the workdir for reading; whoever gets the handle closes it. Never waits for the other end of a
 * pipe. Throws the system's error.
 */
export async function openRegular(place: Place): Promise<OpenedRegular | NotOpened> {
  // Opening some devices has effects, so the kind is known first, and asked again of what was really opened.
  if (place.stats === undefined) return { ok: false, kind: "missing" };
  if (!place.stats.isFile()) return { ok: false, kind: "not_regular", stats: place.stats };
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const handle = await open(place.folder.at(place.name), flags);
  let isHandedOn = false;
  try {
    const stats = fstatSync(handle.fd, { bigint: true });
    if (!stats.isFile()) return { ok: false, kind: "not_regular", stats };
    if (!place.folder.isInside() || !isSame(place, stats)) return { ok: false, kind: "moved" };
    isHandedOn = true;
    return { ok: true, handle, stats };
  } finally {
    if (!isHandedOn) await handle.close();
  }
}

/** A name in a folder that is held by its path could have been reached elsewhere; through a descriptor it can't. */
function isSame({ folder, stats }: Place, opened: BigIntStats): boolean {
  return folder.holding === "descriptors" || (stats?.ino === opened.ino && stats.dev === opened.dev);
}
