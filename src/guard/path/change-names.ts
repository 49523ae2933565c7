import { chmodSync, constants, fstatSync, lstatSync, mkdirSync, openSync, closeSync, readdirSync } from "node:fs";
import { fchmodSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { codeOf } from "../../core/errors.ts";
import type { Place } from "./find-place.ts";
import type { OpenFolder } from "./open-folder.ts";

/** Removes what has this name: a link itself, never what it leads to; a folder with all that is in it. */
export function removeName({ folder, missing, name }: Place): void {
  if (missing.length > 0) throw systemError("ENOENT", "It does not exist");
  assertInside(folder);
  if (lstatSync(folder.at(name)).isDirectory()) removeFolder(folder, name);
  else unlinkSync(folder.at(name));
}

function removeFolder(parent: OpenFolder, name: string): void {
  const folder = parent.enter(name);
  try {
    for (const entry of readdirSync(folder.at("."), { withFileTypes: true })) {
      if (entry.isDirectory()) removeFolder(folder, entry.name);
      else unlinkSync(folder.at(entry.name));
    }
  } finally {
    folder.close();
  }
  rmdirSync(parent.at(name));
}

export function moveName(from: Place, to: Place): void {
  if (from.missing.length > 0 || to.missing.length > 0) throw systemError("ENOENT", "The folder does not exist");
  assertInside(from.folder);
  assertInside(to.folder);
  renameSync(from.folder.at(from.name), to.folder.at(to.name));
}

/** Of the file that was opened, and only if it has no other names: those may lie outside the workdir. */
export function changeMode(place: Place, mode: number): void {
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o1777) {
    throw systemError("EPERM", "A mode has permission bits and the sticky bit, and no set-id bits");
  }
  const { folder, name } = place;
  if (place.stats === undefined) throw systemError("ENOENT", "It does not exist");
  if (place.stats.isDirectory()) return changeModeOfFolder(place, mode);
  if (!place.stats.isFile()) throw systemError("EPERM", "It is a pipe, socket or device");
  const descriptor = openSync(folder.at(name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    assertInside(folder);
    if (!stats.isFile() || stats.nlink > 1) throw systemError("EPERM", "It has other names (hard links)");
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}

function changeModeOfFolder({ folder, name }: Place, mode: number): void {
  const itself = folder.enter(name);
  try {
    assertInside(itself);
    chmodSync(itself.at("."), mode);
  } finally {
    itself.close();
  }
}

export function makeFolder(place: Place): void {
  if (place.stats?.isDirectory()) return;
  const made = makeFolders(place.folder, [...place.missing, place.name]);
  for (const each of made.opened) each.close();
}

export interface MadeFolders {
  /** The last one, open. */
  readonly folder: OpenFolder;
  /** All that were opened on the way, from the outermost in. */
  readonly opened: readonly OpenFolder[];
  /** Takes back what was made and is still empty. */
  takeBack(): void;
}

/** Makes folders, one in the other, unless they are there. A link in the place of one is not followed. */
export function makeFolders(start: OpenFolder, names: readonly string[]): MadeFolders {
  const opened: OpenFolder[] = [];
  const made: { readonly parent: OpenFolder; readonly name: string }[] = [];
  const takeBack = (): void => {
    for (const { parent, name } of made.toReversed()) {
      try {
        rmdirSync(parent.at(name));
      } catch {
        // Somebody else put something there meanwhile: then it stays.
        return;
      }
    }
  };
  let parent = start;
  try {
    if (names.length > 0) assertInside(start);
    for (const name of names) {
      if (makeOne(parent.at(name))) made.push({ parent, name });
      parent = parent.enter(name);
      opened.push(parent);
    }
  } catch (thrown) {
    takeBack();
    for (const each of opened) each.close();
    throw thrown;
  }
  return { folder: parent, opened, takeBack };
}

function makeOne(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/** Right before a change: nothing is made, changed or removed in a folder that was moved out of the workdir. */
export function assertInside(folder: OpenFolder): void {
  if (!folder.isInside()) throw systemError("ENOENT", "The folder was moved out of the workdir");
}

function systemError(code: "ENOENT" | "EPERM", message: string): Error {
  return Object.assign(new Error(message), { code });
}
