import { appendFileSync, fstatSync, lstatSync, mkdirSync, readSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A command can reach its own output file. Whatever it did there, the path shall hold what it wrote; false: it can't. */
export function restoreFile({ path, fd }: { readonly path: string; readonly fd: number }): boolean {
  const written = fstatSync(fd);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.ino === written.ino && found.dev === written.dev) return true;
  try {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
    const buffer = Buffer.alloc(1024 * 1024);
    for (let at = 0, count = 1; count > 0; at += count) {
      count = readSync(fd, buffer, 0, buffer.length, at);
      appendFileSync(path, buffer.subarray(0, count));
    }
    return true;
  } catch {
    return false; // the disk is full, or the folder is not ours any more
  }
}
