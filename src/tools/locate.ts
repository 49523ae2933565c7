import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf } from "../core/errors.ts";
import { failure, systemFailure } from "./failure.ts";
import type { Failure } from "./failure.ts";

export interface Located {
  readonly ok: true;
  /** Absolute, without symbolic links, inside the workdir. The file itself need not exist. */
  readonly path: string;
  /** The way to say it: relative to the workdir, "." for the workdir itself. */
  readonly shown: string;
  /** The workdir without symbolic links. */
  readonly root: string;
}

/**
 * The one way from a path that a model gave to a path that may be opened. It is taken as it is: nothing is trimmed,
 * decoded or expanded. Symbolic links are followed, also those that lead nowhere yet, and what ends outside the
 * workdir is refused with the same sentence whether it exists or not.
 */
export async function locate(given: string, workdir: string): Promise<Located | Failure> {
  const problem = nameProblem(given);
  if (problem !== undefined) return failure("invalid_input", problem, "Send a path relative to the workdir.");
  let root: string;
  try {
    root = await realpath(workdir);
  } catch (thrown) {
    return systemFailure(thrown, `The workdir ${workdir}`);
  }
  const asked = resolve(workdir, given);
  try {
    const path = await followLinks(asked);
    return isWithin(root, path)
      ? { ok: true, path, shown: show({ workdir, asked, root, path }), root }
      : outside(given);
  } catch (thrown) {
    if (!isWithin(workdir, asked) && !isWithin(root, asked)) return outside(given);
    return systemFailure(thrown, given);
  }
}

function nameProblem(given: string): string | undefined {
  if (given === "") return "The path is empty.";
  if (given.includes("\0")) return "The path contains a NUL character.";
  if (!given.isWellFormed()) return "The path contains half of a surrogate pair, which no file name can hold.";
  if (Buffer.byteLength(given) > 4095) return "The path is longer than 4,095 bytes.";
  const long = given.split("/").find((part) => Buffer.byteLength(part) > 255);
  return long === undefined ? undefined : `The name "${long.slice(0, 30)}…" in the path is longer than 255 bytes.`;
}

const mostHops = 40;

/** The real path, also of what is not there yet. */
export async function followLinks(path: string, hops = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
  const parent = await followLinks(dirname(path), hops);
  const here = join(parent, basename(path));
  const target = await readLink(here);
  if (target === undefined) return here;
  if (hops >= mostHops) throw Object.assign(new Error("Too many symbolic links"), { code: "ELOOP" });
  return followLinks(resolve(parent, target), hops + 1);
}

/** Where a link that leads nowhere points to; undefined for what is no link or does not exist. */
async function readLink(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "EINVAL") return undefined;
    throw thrown;
  }
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function show(place: { workdir: string; asked: string; root: string; path: string }): string {
  const way = isWithin(place.workdir, place.asked)
    ? relative(place.workdir, place.asked)
    : relative(place.root, place.path);
  return way === "" ? "." : way;
}

function outside(given: string): Failure {
  return failure("access", `${given} is outside the workdir.`, "Use a path inside the workdir, relative to it.");
}
