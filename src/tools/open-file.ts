import { constants } from "node:fs";
import type { BigIntStats } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { failure, systemFailure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import type { Located } from "./locate.ts";

export interface OpenedFile {
  readonly ok: true;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** Opens a regular file for reading; whoever gets the handle closes it. Never waits for the other end of a pipe. */
export async function openFile(located: Located): Promise<OpenedFile | Failure> {
  try {
    // Opening some devices has effects, so the kind is asked first, and again of what was really opened.
    const before = kindProblem(await stat(located.path, { bigint: true }), located.shown);
    if (before !== undefined) return before;
    const handle = await open(located.path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = await handle.stat({ bigint: true });
    const problem = kindProblem(stats, located.shown);
    if (problem === undefined) return { ok: true, handle, stats };
    await handle.close();
    return problem;
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? notFound(located) : systemFailure(thrown, located.shown);
  }
}

/** Why this can't be read or replaced as a file; undefined for a regular file. */
export function kindProblem(stats: BigIntStats, shown: string): Failure | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) {
    return failure("is_directory", `${shown} is a directory, not a file.`, "Use list_files to see what is in it.");
  }
  const kind = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  return failure("not_a_file", `${shown} is ${kind}, not a regular file.`, "Only regular files can be used here.");
}

/** Says that a file is missing, and which names in its folder are like it. */
export async function notFound(located: Located): Promise<Failure> {
  const error = `${located.shown} does not exist.`;
  const names = await namesIn(dirname(located.path));
  if (names === undefined) {
    return failure(
      "not_found",
      error,
      `Its folder ${dirname(located.shown)} does not exist either. Use list_files or glob.`,
    );
  }
  const folder = dirname(located.shown);
  const alike = nearest(basename(located.path), names).map((name) => (folder === "." ? name : `${folder}/${name}`));
  const hint =
    alike.length > 0 ? `Did you mean ${alike.join(" or ")}?` : "Find the right name with list_files or glob.";
  return failure("not_found", error, hint);
}

const mostNames = 5000;

async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    const names: string[] = [];
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      names.push(entry.name);
      if (names.length >= mostNames) break;
    }
    return names;
  } catch {
    // Only a hint depends on it: whatever is wrong with the folder, the file is not there.
    return undefined;
  }
}
