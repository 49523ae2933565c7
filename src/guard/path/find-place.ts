import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { OpenFolder } from "./open-folder.ts";
import { isWithin, namesBetween, nameProblem } from "./path-name.ts";

/** A name in an open folder of the workdir. */
export interface Place {
  readonly ok: true;
  /** The deepest folder on the way that is there. */
  readonly folder: OpenFolder;
  /** Folders below it that are not there yet. */
  readonly missing: readonly string[];
  /** The last name of the path; "." for the workdir itself. */
  readonly name: string;
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** What was seen there; undefined when nothing was. */
  readonly stats: BigIntStats | undefined;
}

export interface Refused {
  readonly ok: false;
  readonly kind: "invalid" | "outside";
  readonly problem: string;
}

export interface Workdir {
  /** As it was given, perhaps through links. */
  readonly given: string;
  readonly root: OpenFolder;
}

export interface FindOptions {
  /** Whether a link at the end of the path stands for what it leads to; otherwise for itself. */
  readonly last: "follow" | "keep";
}

/**
 * Finds the place that a path names. Links are followed, also those that lead nowhere yet, and what ends outside the
 * workdir is refused, whether it exists or not. Throws the system's error where the way can't be walked (ENOTDIR, EACCES,
 * ELOOP). Whoever gets the place closes its folder, unless that is the workdir.
 */
export function findPlace(workdir: Workdir, given: string, options: FindOptions): Place | Refused {
  const problem = nameProblem(given);
  if (problem !== undefined) return { ok: false, kind: "invalid", problem };
  const names = namesInside(workdir, resolve(workdir.given, given));
  const place = names === undefined || stepsOutside(workdir, given) ? undefined : walk(workdir, names, options);
  return place ?? { ok: false, kind: "outside", problem: `${given} is outside the workdir.` };
}

/** The names that lead from the workdir to an absolute path, links not followed; undefined when it lies outside. */
function namesInside({ given, root }: Workdir, path: string): string[] | undefined {
  for (const folder of [given, root.path]) if (isWithin(folder, path)) return namesBetween(folder, path);
  // What these name depends on who asks; nobody needs them to name a file of the workdir.
  if (/^\/(proc|dev|sys)(\/|$)/.test(path)) return undefined;
  // There may be another way to say it, as /tmp and /private/tmp.
  const real = realStart(path);
  return real !== undefined && isWithin(root.path, real) ? namesBetween(root.path, real) : undefined;
}

function realStart(path: string): string | undefined {
  for (let start = path; ; start = dirname(start)) {
    try {
      return resolve(realpathSync.native(start), ...namesBetween(start, path));
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT" || start === "/") return undefined;
    }
  }
}

/**
 * `link/../x` is read as `x`, but the system would start from where the link leads. Where that is outside, nobody can say
 * which one was meant.
 */
function stepsOutside(workdir: Workdir, given: string): boolean {
  if (!hasParentStep.test(given)) return false;
  let at = isAbsolute(given) ? "/" : workdir.given;
  for (const name of given.split("/")) {
    if (name === ".." && leadsOutside(workdir, at)) return true;
    at = resolve(at, name);
  }
  return false;
}

const hasParentStep = /(?:^|\/)\.\.(?:\/|$)/;

/** Of a path that lies in the workdir by its name. */
function leadsOutside(workdir: Workdir, path: string): boolean {
  const folder = [workdir.given, workdir.root.path].find((each) => isWithin(each, path));
  if (folder === undefined) return false;
  const place = walk(workdir, namesBetween(folder, path), { last: "follow" });
  if (place !== undefined) closePlace(workdir, place);
  return place === undefined;
}

export function closePlace(workdir: Workdir, { folder }: Place): void {
  if (folder !== workdir.root) folder.close();
}

/** As many as Linux follows. */
const mostLinks = 40;
/** Links can repeat names endlessly; no honest path comes near. */
const mostSteps = 20_000;

/** Undefined when a link leads outside. */
function walk(workdir: Workdir, wanted: readonly string[], { last }: FindOptions): Place | undefined {
  let links = 0;
  let steps = 0;
  let { folder, names } = start(workdir, wanted);
  try {
    for (;;) {
      const name = names.shift();
      if (++steps > mostSteps) throw systemError("ELOOP");
      if (name === undefined) return keep(placeOfFolder(workdir, folder));
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (!goUp()) return undefined;
      } else if (names.length > 0) {
        const entered = enter(folder, name);
        if (entered.kind === "missing") return keep(placeOfMissing(folder, [name, ...names]));
        if (entered.kind === "folder") moveTo(entered.folder);
        else if (!follow(entered.target)) return undefined;
      } else {
        const stats = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
        if (last === "keep" || !stats?.isSymbolicLink())
          return keep({ ok: true, folder, missing: [], name, path: join(folder.path, name), stats });
        if (!follow(readlinkSync(folder.at(name)))) return undefined;
      }
    }
  } finally {
    moveTo(workdir.root);
  }

  function follow(target: string): boolean {
    if (++links > mostLinks) throw systemError("ELOOP");
    if (isAbsolute(target)) return goTo(resolve(target), names);
    names = [...target.split("/"), ...names];
    return true;
  }

  function goUp(): boolean {
    const above = dirname(folder.path);
    if (isWithin(workdir.root.path, above)) return goTo(above, names);
    return goTo(resolve(above, ...names), []);
  }

  /** From the top again: only links bring that about. */
  function goTo(path: string, rest: readonly string[]): boolean {
    const inside = namesInside(workdir, path);
    if (inside === undefined) return false;
    const from = start(workdir, [...inside, ...rest]);
    moveTo(from.folder);
    names = from.names;
    return true;
  }

  function moveTo(next: OpenFolder): void {
    if (folder !== workdir.root) folder.close();
    folder = next;
  }

  /** From here on the folder is the place's. */
  function keep(place: Place): Place {
    folder = workdir.root;
    return place;
  }
}

function start({ root }: Workdir, wanted: readonly string[]): { folder: OpenFolder; names: string[] } {
  const isPlain = wanted.length > 2 && wanted.every((name) => name !== "" && name !== "." && name !== "..");
  const folder = isPlain ? root.enterAll(wanted.slice(0, -1)) : undefined;
  return folder === undefined ? { folder: root, names: [...wanted] } : { folder, names: wanted.slice(-1) };
}

type Entered =
  | { readonly kind: "folder"; readonly folder: OpenFolder }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "missing" };

function enter(folder: OpenFolder, name: string): Entered {
  try {
    return { kind: "folder", folder: folder.enter(name) };
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return { kind: "missing" };
    if (codeOf(thrown) !== "ENOTDIR" && codeOf(thrown) !== "ELOOP") throw thrown;
    const target = readLink(folder.at(name));
    if (target === undefined) throw thrown;
    return { kind: "link", target };
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "EINVAL") return undefined;
    throw thrown;
  }
}

function placeOfFolder({ root }: Workdir, folder: OpenFolder): Place {
  const stats = folder === root ? root.stats() : lstatSync(folder.at("."), { bigint: true });
  return { ok: true, folder, missing: [], name: ".", path: folder.path, stats };
}

function placeOfMissing(folder: OpenFolder, names: readonly string[]): Place {
  if (names.includes("..")) throw systemError("ENOENT");
  const plain = names.filter((name) => name !== "" && name !== ".");
  const path = join(folder.path, ...plain);
  return { ok: true, folder, missing: plain.slice(0, -1), name: basename(path), path, stats: undefined };
}

/** As the system would say it. */
function systemError(code: "ELOOP" | "ENOENT"): Error {
  return Object.assign(new Error(`The path can't be followed (${code})`), { code });
}
