import { constants, fstatSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Place } from "./find-place.ts";

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
