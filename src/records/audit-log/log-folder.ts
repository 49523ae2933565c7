import { accessSync, chmodSync, constants, lstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { toLogError } from "./log-error.ts";
import { currentName } from "./segments.ts";

/** Private from its first moment. Throws when it is a link: whoever made that would choose where our records go. */
export function ensureLogFolder(folder: string): void {
  // Not `recursive: true`: where a folder can't have folders (/proc), Node tries that for ever.
  for (const each of [dirname(folder), folder]) unlessThere(() => mkdirSync(each, { mode: 0o700 }));
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: "ENOTDIR" });
  if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Why nothing could be written there, as far as that can be told without writing; null when nothing speaks against it. */
export function findLogProblem(folder: string): string | null {
  const path = join(folder, currentName);
  try {
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file?.isSymbolicLink()) throw Object.assign(new Error("a link"), { code: "ELOOP" });
    if (file && !file.isFile()) throw Object.assign(new Error("not a file"), { code: "EISDIR" });
    // The nearest that is there decides.
    [path, folder, dirname(folder), dirname(dirname(folder))].some(isWritable);
    return null;
  } catch (thrown) {
    return toLogError(thrown, path).message;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}
