import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Ticker } from "../run/hold-run.ts";

/** The beginning of a log is kept, too. */
const headBytes = 64 * 1024;
/** Less could not hold the beginning and two parts. */
const leastLogBytes = 256 * 1024;
export const usualLogBytes = 8 * 1024 * 1024;

export interface LogExtract {
  readonly text: string;
  /** All that was ever written. */
  readonly totalBytes: number;
  /** How much of it comes before `text` and is not in it. */
  readonly skippedBytes: number;
  /** How much of that is not kept any more, because the log has its limit; the first 64 kB of it are. */
  readonly cutBytes: number;
}

/** Writes the log of one process. Nothing else writes to it. */
export interface LogWriter {
  /** Never throws: what a full disk does not take counts as cut. */
  write(bytes: Buffer): void;
  close(): void;
}

/**
 * The first 64 kB stay, and the end: what is older is cut, so that all of it never takes more than `maxBytes` on the disk. It is written
 * in two parts; when the second one is full, the first one goes.
 */
export function openLogWriter(folder: string, maxBytes: number): LogWriter {
  const paths = logPaths(folder);
  const partBytes = Math.floor((Math.max(maxBytes, leastLogBytes) - headBytes) / 2);
  const open = (): number => openSync(paths.live, "a", 0o600);
  let fd = open();
  let size = 0;
  let dropped = 0;

  function startNextPart(): void {
    if (!existsSync(paths.head)) {
      const head = withFile(paths.live, (live) => readPart(live, 0, headBytes));
      writeFileSync(paths.head, head ?? "", { mode: 0o600 });
    }
    const before = sizeOf(paths.previous);
    renameSync(paths.live, paths.previous);
    dropped += before;
    const next = open();
    closeSync(fd);
    fd = next;
    size = 0;
    noteDropped();
  }

  function noteDropped(): void {
    if (dropped === 0) return;
    writeFileSync(paths.next, String(dropped), { mode: 0o600 });
    renameSync(paths.next, paths.dropped);
  }

  return {
    write(bytes) {
      let at = 0;
      try {
        while (at < bytes.length) {
          if (size >= partBytes) startNextPart();
          const count = writeSync(fd, bytes, at, Math.min(bytes.length - at, partBytes - size));
          at += count;
          size += count;
        }
      } catch {
        dropped += bytes.length - at;
      }
    },
    close() {
      try {
        noteDropped();
      } catch {
        // The disk is still full: then less is said to be cut than was.
      }
      closeSync(fd);
    },
  };
}

/** Lets somebody hear what is written to a log, from its beginning, until they need no more. Returns how to end that. */
export function followLog(ticker: Ticker, folder: string, hear: (piece: string) => boolean): () => void {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let seen = 0;
  const remove = ticker.add(() => {
    const { bytes, totalBytes } = readEnd(folder, (total) => total - seen);
    seen = totalBytes;
    if (bytes.length > 0 && !hear(decoder.decode(bytes, { stream: true }))) remove();
    return 50;
  });
  return remove;
}

export function logBytes(folder: string): number {
  return readEnd(folder, () => 0).totalBytes;
}

/** The end of the log; characters that are cut in half at its start are left out. */
export function readLogTail(folder: string, tailBytes: number): LogExtract {
  const { bytes, totalBytes, cutBytes } = readEnd(folder, () => tailBytes);
  const from = bytes.length < totalBytes ? firstCharacter(bytes) : 0;
  return { text: bytes.toString("utf8", from), totalBytes, skippedBytes: totalBytes - bytes.length + from, cutBytes };
}

/** The beginning of the log. */
export function readLogHead(folder: string, maxBytes: number): string {
  const paths = logPaths(folder);
  const path = existsSync(paths.head) ? paths.head : paths.live;
  return withFile(path, (fd) => readPart(fd, 0, maxBytes))?.toString("utf8") ?? "";
}

function logPaths(folder: string) {
  const live = join(folder, "output");
  return { live, head: `${live}.head`, previous: `${live}.previous`, next: `${live}.next`, dropped: `${live}.dropped` };
}

interface LogEnd {
  readonly bytes: Buffer;
  readonly totalBytes: number;
  readonly cutBytes: number;
}

/** Another process may begin the next part of the log meanwhile; then it is looked at again. */
const mostLooks = 10;

/** The last bytes that are there; `wanted` is given how much was ever written. */
function readEnd(folder: string, wanted: (totalBytes: number) => number): LogEnd {
  const paths = logPaths(folder);
  for (let look = 1; ; look++) {
    const dropped = readDropped(paths.dropped);
    const end = withFile(paths.live, (live) => {
      const read = (previous: number | null): LogEnd | null => {
        const [newer, older] = [fstatSync(live), previous === null ? null : fstatSync(previous)];
        if (older?.ino === newer.ino) return null;
        const totalBytes = dropped + (older?.size ?? 0) + newer.size;
        const count = Math.max(0, wanted(totalBytes));
        const last = readPart(live, Math.max(0, newer.size - count), Math.min(count, newer.size));
        const rest = older ? Math.min(count - last.length, older.size) : 0;
        const first = rest > 0 ? readPart(previous!, older!.size - rest, rest) : Buffer.alloc(0);
        return { bytes: Buffer.concat([first, last]), totalBytes, cutBytes: dropped };
      };
      return withFile(paths.previous, read) ?? (existsSync(paths.previous) ? null : read(null));
    });
    if ((end && dropped === readDropped(paths.dropped)) || look === mostLooks) {
      return end ?? { bytes: Buffer.alloc(0), totalBytes: dropped, cutBytes: dropped };
    }
  }
}

function readDropped(path: string): number {
  try {
    return Number(readFileSync(path, "utf8")) || 0;
  } catch {
    return 0; // never cut
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Null when it is not there (yet, or any more). */
function withFile<Result>(path: string, read: (fd: number) => Result): Result | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

function readPart(fd: number, start: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, bytes));
  return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, start));
}

function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(bytes.length, 3) && (bytes[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
