import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Past this the log is cut when it is quiet; then this much twice is on disk, at most. */
const segmentBytes = 4 * 1024 * 1024;
/** While it grows, it may grow to this. */
const floodBytes = 64 * 1024 * 1024;
const headBytes = 64 * 1024;

export interface LogExtract {
  readonly text: string;
  /** All that was ever written. */
  readonly totalBytes: number;
  /** How much of it comes before `text` and is not in it. */
  readonly skippedBytes: number;
}

export interface KeptEnd {
  readonly bytes: Buffer;
  /** Where they stood in the file. */
  readonly from: number;
}

/**
 * Cuts a log that is too long, without its writer noticing: it appends, so it goes on at the new end. The first
 * 64 kB and the last 4 to 8 MB stay. When the file starts anew, gives what was read of its end, for those who listen.
 */
export function trimLog(folder: string, isGrowing = false): KeptEnd | null {
  const paths = logPaths(folder);
  // What is written in the moment of the cut is lost, so a burst may end first, unless it is a flood.
  if (sizeOf(paths.live) <= (isGrowing ? floodBytes : segmentBytes)) return null;
  const fd = openSync(paths.live, "r+");
  try {
    if (!existsSync(paths.head)) writeFileSync(paths.head, readPart(fd, 0, headBytes), { mode: 0o600 });
    const from = fstatSync(fd).size - segmentBytes;
    const before = droppedBytes(folder) + sizeOf(paths.previous);
    const bytes = Buffer.concat(readToEnd(fd, from));
    // Nothing between that last read and this: what is written meanwhile is lost.
    const size = fstatSync(fd).size;
    ftruncateSync(fd, 0);
    const end = bytes.subarray(-segmentBytes);
    const dropped = before + size - end.length;
    writeFileSync(paths.next, end, { mode: 0o600 });
    writeFileSync(paths.dropped, String(dropped), { mode: 0o600 });
    renameSync(paths.next, paths.previous);
    return { bytes, from };
  } finally {
    closeSync(fd);
  }
}

/** Whoever writes faster than these are read goes on writing meanwhile, so few is better than whole. */
const mostParts = 4;

/** Ends with a read that finds nothing new, so that nothing is lost when the cut follows; a flood is left to itself. */
function readToEnd(fd: number, from: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = from; parts.length < mostParts;) {
    const part = readPart(fd, at, segmentBytes);
    if (part.length === 0) break;
    parts.push(part);
    at += part.length;
  }
  return parts;
}

export function logBytes(folder: string): number {
  const paths = logPaths(folder);
  return droppedBytes(folder) + sizeOf(paths.previous) + sizeOf(paths.live);
}

/** The end of the log; characters that are cut in half at its start are left out. */
export function readLogTail(folder: string, tailBytes: number): LogExtract {
  const paths = logPaths(folder);
  const live = readEnd(paths.live, tailBytes);
  const before = readEnd(paths.previous, tailBytes - live.length);
  const bytes = Buffer.concat([before, live]);
  const totalBytes = Math.max(logBytes(folder), bytes.length);
  const from = bytes.length < totalBytes ? firstCharacter(bytes) : 0;
  return { text: bytes.toString("utf8", from), totalBytes, skippedBytes: totalBytes - bytes.length + from };
}

/** The beginning of the log. */
export function readLogHead(folder: string, maxBytes: number): string {
  const paths = logPaths(folder);
  const path = existsSync(paths.head) ? paths.head : paths.live;
  return withFile(path, (fd) => readPart(fd, 0, maxBytes)).toString("utf8");
}

export function logPath(folder: string): string {
  return logPaths(folder).live;
}

function logPaths(folder: string) {
  const live = join(folder, "output");
  return { live, head: `${live}.head`, previous: `${live}.previous`, next: `${live}.next`, dropped: `${live}.dropped` };
}

function droppedBytes(folder: string): number {
  try {
    return Number(readFileSync(logPaths(folder).dropped, "utf8")) || 0;
  } catch {
    return 0; // never cut
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readEnd(path: string, bytes: number): Buffer {
  if (bytes <= 0) return Buffer.alloc(0);
  return withFile(path, (fd) => readPart(fd, Math.max(0, fstatSync(fd).size - bytes), bytes));
}

function withFile(path: string, read: (fd: number) => Buffer): Buffer {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return Buffer.alloc(0); // not there (yet, or any more)
  }
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

function readPart(fd: number, start: number, bytes: number): Buffer {
  const wanted = Math.max(0, Math.min(bytes, fstatSync(fd).size - start));
  const buffer = Buffer.allocUnsafe(wanted);
  return buffer.subarray(0, readSync(fd, buffer, 0, wanted, start));
}

function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(bytes.length, 3) && (bytes[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
