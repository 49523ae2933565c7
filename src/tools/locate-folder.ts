import { stat } from "node:fs/promises";
import { codeOf } from "../core/errors.ts";
import { failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { locate } from "./locate.ts";
import type { Located } from "./locate.ts";
import { notFound } from "./open-file.ts";

/** As `locate`, for a folder that is there. */
export async function locateFolder(given: string, workdir: string): Promise<Located | Failure> {
  const located = await locate(given, workdir);
  if (!located.ok) return located;
  try {
    if ((await stat(located.path)).isDirectory()) return located;
    return failure("not_directory", `${located.shown} is a file, not a folder.`, "Give the folder it is in.");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return notFound(located);
    throw thrown;
  }
}

/** A path on a line of its own: names with control characters are quoted, so that they can't pass for other lines. */
export function showPath(path: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}
