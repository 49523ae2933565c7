import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";
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

/** Private from its first moment. Throws when it is a link: whoever made that would choose where our records go. */
function ensureLogFolder(folder: string): void {
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

/** Whatever the file system threw, as one sentence that names the file, the reason and what to do. */
export function toLogError(thrown: unknown, path: string): RuntimeError {
  if (thrown instanceof RuntimeError) return thrown;
  const [why, cure] = explain(thrown);
  return new RuntimeError(
    "LOG_UNWRITABLE",
    `The log ${path} can't be written: ${why}. ${cure}, or set log.on_failure to "continue" to work without it.`,
    { cause: thrown },
  );
}

function explain(thrown: unknown): readonly [why: string, cure: string] {
  switch (codeOf(thrown)) {
    case "ENOSPC":
    case "EDQUOT":
      return ["the disk or the quota is full", "Free some space"];
    case "EROFS":
      return ["the disk is read-only", "Make it writable"];
    case "EACCES":
    case "EPERM":
      return ["there is no permission for it", "Give this user permission to write the file and its folder"];
    case "ELOOP":
      return ["it is a symbolic link", "Remove the link"];
    case "ENOTDIR":
    case "EISDIR":
    case "ENXIO":
      return ["it, or a part of its path, is not what it has to be: a file in a folder", "Move that away"];
    default:
      return [messageOf(thrown), "Correct that"];
  }
}
