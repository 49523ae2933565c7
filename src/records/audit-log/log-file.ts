import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import { ensureLogFolder } from "./log-folder.ts";
import { readTail, type Tail } from "./read-tail.ts";
import { currentName, identityOf, listSegments, numberedPath } from "./segments.ts";

/** The current segment, opened for appending. All methods throw what the file system throws. */
export interface LogFile {
  readonly path: string;
  /** Opens the segment that is current now, and tells how it ends and what its number is. */
  look(): Tail & { readonly segment: number };
  /** One write. Says how many bytes got there; fewer than given when the disk is full. */
  write(bytes: Buffer): number;
  /** True when another process has begun the next segment: the next look opens that. */
  isClosedByOther(): boolean;
  /** Closes the segment and begins the next one with this line. False: another process is doing that. */
  rotate(firstLine: string, writer: string): boolean;
  sync(): Promise<void>;
  close(): void;
}

/** How long a writer may go on in a segment that another process has closed. Its lines stay in order all the same. */
const lookEveryMs = 20;
/** A rotation that was begun and not finished for so long was begun by a process that died in between. */
const abandonedMs = 60_000;

/** Others may begin to write each time. */
const mostLooks = 100;
const nextPrefix = "chat_log.next-";
const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Brings what was written to the disk. */
export type SyncFile = (fd: number, callback: (error: Error | null) => void) => void;

export function createLogFile(folder: string, clock: Clock, syncFile: SyncFile = fsync): LogFile {
  const path = join(folder, currentName);
  let fd: number | undefined;
  let identity: string | undefined;
  let segment = 1;
  let lookedAt = 0;
  let tail: Tail = { size: 0, lastHash: null, torn: null };

  function open(): number {
    ensureLogFolder(folder);
    const opened = openSync(path, flags, 0o600);
    try {
      const stats = fstatSync(opened, { bigint: true });
      if (!stats.isFile()) throw Object.assign(new Error("it is not a regular file"), { code: "ENOTDIR" });
      if ((stats.mode & 0o077n) !== 0n) fchmodSync(opened, 0o600);
      identity = `${stats.dev}:${stats.ino}`;
      segment = listSegments(folder).at(-1)?.number ?? 1;
    } catch (thrown) {
      closeSync(opened);
      throw thrown;
    }
    // Rotated since it was opened: the number is that of the next one.
    if (identityOf(path) !== identity) {
      closeSync(opened);
      return open();
    }
    fd = opened;
    lookedAt = clock.monotonic();
    tail = { size: -1, lastHash: null, torn: null };
    return opened;
  }

  function current(): number {
    if (fd === undefined) return open();
    const now = clock.monotonic();
    if (now - lookedAt < lookEveryMs) return fd;
    lookedAt = now;
    if (identityOf(path) === identity) return fd;
    close();
    return open();
  }

  function close(): void {
    if (fd === undefined) return;
    const closing = fd;
    fd = undefined;
    closeSync(closing);
  }

  return {
    path,
    look() {
      const opened = current();
      const { size } = fstatSync(opened);
      if (size !== tail.size) tail = readTail(opened, size);
      if (tail.torn) tail = lookAgain(opened, tail);
      return { ...tail, segment };
    },
    write(bytes) {
      if (fd === undefined) throw new Error("it was not opened");
      const written = writeSync(fd, bytes);
      // As far as we know: when somebody else wrote meanwhile, the next look finds another size.
      tail = { size: tail.size + written, lastHash: null, torn: null };
      return written;
    },
    isClosedByOther() {
      if (fd === undefined || identityOf(path) === identity) return false;
      close();
      return true;
    },
    rotate(firstLine, writer) {
      const numbered = numberedPath(folder, segment);
      const next = join(folder, `${nextPrefix}${writer}`);
      writeFileSync(next, firstLine, { flag: "wx", mode: 0o600, flush: true });
      try {
        // Whoever made the name of the closed segment closes it. The file `next` stands before that is tried: of two that
        // finish what a third one left, at least one sees the other.
        if (identityOf(path) !== identity || !(makeName(path, numbered) || isAbandoned(folder, next))) return false;
        // Once more, because whoever was at it a moment ago may be done by now.
        if (identityOf(path) !== identity || identityOf(numbered) !== identity) return false;
        // Everybody else goes on in the old segment until they see that the name means another file.
        renameSync(next, path);
        if (fd !== undefined) fsyncSync(fd);
        close();
        removeLeftOvers(folder);
        return true;
      } finally {
        rmSync(next, { force: true });
      }
    },
    sync() {
      const opened = fd;
      if (opened === undefined) return Promise.resolve();
      return new Promise((resolve, reject) => {
        // Closed meanwhile means rotated, and that syncs by itself.
        syncFile(opened, (error) => (error && codeOf(error) !== "EBADF" ? reject(error) : resolve()));
      });
    },
    close,
  };
}

/**
 * A line that another process is writing at this moment looks torn. Changing the mode, to what it is, waits for the lock that
 * a write holds: what is as torn after it as before was left so.
 */
function lookAgain(fd: number, first: Tail): Tail {
  let tail = first;
  for (let look = 0; tail.torn && look < mostLooks; look++) {
    const { size } = tail;
    fchmodSync(fd, 0o600);
    tail = readTail(fd, fstatSync(fd).size);
    if (tail.size === size) break;
  }
  return tail;
}

function makeName(path: string, numbered: string): boolean {
  try {
    linkSync(path, numbered);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/** The name was made, but whoever made it died before the second step: no other process is at it. */
function isAbandoned(folder: string, own: string): boolean {
  return nextFiles(folder).every((path) => path === own || isOld(path));
}

function removeLeftOvers(folder: string): void {
  for (const path of nextFiles(folder)) if (isOld(path)) rmSync(path, { force: true });
}

function nextFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(nextPrefix))
    .map((name) => join(folder, name));
}

function isOld(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || Date.now() - stats.mtimeMs > abandonedMs;
}
