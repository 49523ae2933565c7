import { resolve } from "node:path";
import { changeMode, makeFolder, moveName, removeName } from "./change-names.ts";
import { closePlace, findPlace } from "./find-place.ts";
import type { FindOptions, Place, Refused, Workdir } from "./find-place.ts";
import { bestHolding, openRoot } from "./open-folder.ts";
import type { Holding, OpenFolder } from "./open-folder.ts";

export interface PathGuard {
  /** The workdir without symbolic links. */
  readonly root: string;
  /** The workdir itself, open until the guard is closed. */
  readonly folder: OpenFolder;
  /** What this system lets us promise; `window`: a swap at the right moment may go unnoticed. */
  readonly promises: { readonly races: "none" | "window" };
  /** See `findPlace`. The place is good until it is released or the guard is closed. */
  find(given: string, options?: FindOptions): Place | Refused;
  release(place: Place): void;
  /** Removes a file, a link itself, or a folder with all that is in it. */
  remove(given: string): void;
  /** Gives a file, a link itself or a folder another name; what has that name already is replaced only if it is a file. */
  move(given: string, to: string): void;
  /** Changes the permission bits of a file or folder; set-id bits are refused. */
  changeMode(given: string, mode: number): void;
  /** Makes a folder and those above it; one that is there is fine. */
  makeFolder(given: string): void;
  close(): void;
}

/** Opens a workdir for file access that can't leave it. Throws the system's error when that can't be opened. */
export function openPathGuard({
  root: given,
  holding = bestHolding(),
}: {
  readonly root: string;
  readonly holding?: Holding;
}): PathGuard {
  const workdir: Workdir = { given: resolve(given), root: openRoot(given, holding) };
  const places = new Set<Place>();

  function find(path: string, options: FindOptions = { last: "follow" }): Place | Refused {
    const place = findPlace(workdir, path, options);
    if (place.ok) places.add(place);
    return place;
  }

  function release(place: Place): void {
    if (places.delete(place)) closePlace(workdir, place);
  }

  /** For what changes names: they stand for themselves, links too, and the workdir is not among them. */
  function findName(path: string, last: FindOptions["last"] = "keep"): Place {
    const place = find(path, { last });
    if (!place.ok) throw refusal(place.problem);
    if (place.name === ".") throw refusal(`${path} is the workdir itself, which stays as it is.`);
    return place;
  }

  return {
    root: workdir.root.path,
    folder: workdir.root,
    promises: { races: holding === "descriptors" ? "none" : "window" },
    find,
    release,
    remove: (path) => removeName(findName(path)),
    move: (path, to) => moveName(findName(path), findName(to)),
    changeMode: (path, mode) => changeMode(findName(path, "follow"), mode),
    makeFolder: (path) => makeFolder(findName(path, "follow")),
    close() {
      for (const place of places) release(place);
      workdir.root.close();
    },
  };
}

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: "EACCES" });
}
