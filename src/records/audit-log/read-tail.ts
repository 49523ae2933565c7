import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { suffixBytes, suffixForm } from "./log-line.ts";

/** How a segment ends. */
export interface Tail {
  readonly size: number;
  /** The hash of its last whole line; null when there is none, or something else stands after it. */
  readonly lastHash: string | null;
  /** Bytes after the last line end: a line that was never finished. */
  readonly torn: Torn | null;
}

export interface Torn {
  readonly bytes: number;
  readonly sha256: string;
}

export function readTail(fd: number, size: number): Tail {
  if (size === 0) return { size, lastHash: null, torn: null };
  if (readAt(fd, size - 1, 1)[0] === lineEnd) return { size, lastHash: readHash(fd, size), torn: null };
  const torn = readTorn(fd, size);
  return { size, lastHash: readHash(fd, size - torn.bytes), torn };
}

/** Of the line that ends there. */
function readHash(fd: number, size: number): string | null {
  const length = Math.min(size, suffixBytes + 1);
  const end = readAt(fd, size - length, length);
  return suffixForm.exec(end.toString("latin1", 0, Math.max(0, end.length - 1)))?.[1] ?? null;
}

const lineEnd = 0x0a;
const blockBytes = 65_536;

function readTorn(fd: number, size: number): Torn {
  let from = size;
  while (from > 0) {
    const begin = Math.max(0, from - blockBytes);
    const found = readAt(fd, begin, from - begin).lastIndexOf(lineEnd);
    if (found >= 0) {
      from = begin + found + 1;
      break;
    }
    from = begin;
  }
  const sha256 = createHash("sha256");
  for (let at = from; at < size; at += blockBytes) sha256.update(readAt(fd, at, Math.min(blockBytes, size - at)));
  return { bytes: size - from, sha256: sha256.digest("hex") };
}

function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const got = readSync(fd, buffer, read, length - read, position + read);
    if (got === 0) break;
    read += got;
  }
  return buffer.subarray(0, read);
}
