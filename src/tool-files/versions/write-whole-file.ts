import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../core/errors.ts";

/**
 * Readers see all of it or nothing, also after a crash. `within`: a folder of ours; what lies in it where a file or a folder of
 * this path must be is damage, and is removed. Throws the system's error.
 */
export function writeWhole(path: string, content: Buffer, within: string): void {
  try {
    write(path, content);
  } catch (thrown) {
    if (!inTheWay.has(codeOf(thrown) ?? "")) throw thrown;
    clearWay(path, within);
    write(path, content);
  }
}

const inTheWay: ReadonlySet<string> = new Set(["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"]);

function write(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}

function clearWay(path: string, within: string): void {
  if (isFolder(path)) rmSync(path, { recursive: true, force: true });
  for (let folder = dirname(path); folder.startsWith(`${within}/`); folder = dirname(folder)) {
    if (isFolder(folder) === false) rmSync(folder, { force: true });
  }
  // All that was kept may once have been there: nobody but the person throws that away.
  if (isFolder(within) === false) renameSync(within, `${within}.damaged`);
}

/** Undefined when there is nothing. */
function isFolder(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return undefined; // Something further up is in the way.
  }
}
