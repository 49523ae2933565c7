import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import { readOnly, toStoreError, unavailable } from "../store-error.ts";

/**
 * Makes sure that there is a file we may write, private from its first moment. Throws what is wrong as a RuntimeError.
 *
 * An existing file is never opened here: closing any descriptor of it would drop the locks that SQLite holds on it in this
 * process (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export function prepareDatabaseFile(path: string): void {
  try {
    makeFolder(dirname(path));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats) checkFile(path, stats);
    else closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    // Another process made it just now.
    if (codeOf(thrown) === "EEXIST" && statSync(path, { throwIfNoEntry: false })?.isFile()) return;
    throw toStoreError(thrown, path);
  }
}

/** SQLite gives its -wal and -shm files the mode of the database; those that are older than a change are set here. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats || (stats.mode & 0o077) === 0) continue;
    try {
      chmodSync(file, 0o600);
    } catch {
      // Another user's file, or one that SQLite removed meanwhile: not ours to change.
    }
  }
}

/**
 * Returns a check that throws once the file at that path is another one, or none. SQLite would go on writing into what was
 * deleted, and the records would be gone without a word. Looks at most five times a second.
 */
export function watchFile(path: string, clock: Clock): () => void {
  const identity = identify(path);
  let lookedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    if (now - lookedAt < lookEveryMs) return;
    if (identify(path) !== identity) throw unavailable(path, "it was deleted or replaced while it was in use");
    lookedAt = now;
  };
}

const lookEveryMs = 200;

function identify(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    // On a read-only file system Node calls it ENOENT: ask the folder that does exist.
    if (codeOf(thrown) === "ENOENT") accessSync(nearestFolder(folder), constants.W_OK);
    throw thrown;
  }
}

function nearestFolder(folder: string): string {
  return statSync(folder, { throwIfNoEntry: false }) ? folder : nearestFolder(dirname(folder));
}

function checkFile(path: string, stats: Stats): void {
  if (stats.isDirectory()) throw unavailable(path, "it is a folder, and a file is needed");
  if (!stats.isFile()) throw unavailable(path, "it is not a regular file");
  try {
    accessSync(path, constants.R_OK);
  } catch (thrown) {
    throw toStoreError(thrown, path);
  }
  try {
    accessSync(path, constants.W_OK);
  } catch (thrown) {
    throw readOnly(path, { cause: thrown });
  }
}
