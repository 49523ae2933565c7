import type { BigIntStats } from "node:fs";
import { opendir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { nearest } from "../../core/text.ts";
import { type OpenedRegular, openRegular } from "../../guard/path/open-regular.ts";
import type { Place } from "../../guard/path/find-place.ts";
import { type Failure, failure, systemFailure } from "../failure.ts";
import type { Held } from "./locate-file.ts";

/** Opens a regular file for reading; whoever gets the handle closes it. Never waits for the other end of a pipe. */
export async function openFile(held: Held): Promise<OpenedRegular | Failure> {
  try {
    const opened = await openRegular(held.place);
    if (opened.ok) return opened;
    if (opened.kind === "not_regular") return kindProblem(opened.stats, held.shown);
    return opened.kind === "missing" ? await notFound(held) : movedAway(held.shown);
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? notFound(held) : systemFailure(thrown, held.shown);
  }
}

/** Why this can't be read or replaced as a file. */
export function kindProblem(stats: BigIntStats, shown: string): Failure {
  if (stats.isDirectory()) {
    return failure("is_directory", `${shown} is a directory, not a file.`, "Use list_files to see what is in it.");
  }
  if (stats.isSymbolicLink()) return movedAway(shown);
  const kind = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  return failure("not_a_file", `${shown} is ${kind}, not a regular file.`, "Only regular files can be used here.");
}

function movedAway(shown: string): Failure {
  const error = `${shown} was moved or replaced by a link while it was opened.`;
  return failure("changed_meanwhile", error, "Look at it again with list_files, then send the call again.");
}

/** Says that a file is missing, and which names in its folder are like it. */
export async function notFound({ shown, path, place }: Held): Promise<Failure> {
  const error = `${shown} does not exist.`;
  const folder = dirname(shown);
  const names = await namesBeside(place);
  if (names === undefined) {
    const hint = `Its folder ${folder} does not exist either. Use list_files or glob.`;
    return failure("not_found", error, hint);
  }
  const alike = nearest(basename(path), names).map((name) => (folder === "." ? name : `${folder}/${name}`));
  const hint =
    alike.length > 0 ? `Did you mean ${alike.join(" or ")}?` : "Find the right name with list_files or glob.";
  return failure("not_found", error, hint);
}

const mostNames = 5000;

async function namesBeside({ folder, missing }: Place): Promise<string[] | undefined> {
  if (missing.length > 0) return undefined;
  try {
    const names: string[] = [];
    for await (const entry of await opendir(folder.at("."), { bufferSize: 256 })) {
      names.push(entry.name);
      if (names.length >= mostNames) break;
    }
    return names;
  } catch {
    // Only a hint depends on it: whatever is wrong with the folder, the file is not there.
    return undefined;
  }
}
