import { readSync } from "node:fs";

/** Notices that a file which should only grow was emptied, also when it has grown again since. */
export interface OutputAnchor {
  /** False when what was seen the last time is not there any more. */
  holds(): boolean;
  /** Remembers the end of what is there now. */
  moveTo(size: number): void;
}

const anchorBytes = 64;

/**
 * The proof is the text last seen, which must stay where it was. What came and went between two looks can't be
 * noticed at all: nothing tells how far the child had written.
 */
export function createOutputAnchor(fd: number): OutputAnchor {
  let seen = Buffer.alloc(0);
  let from = 0;

  function read(start: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, start));
  }

  return {
    holds: () => seen.length === 0 || read(from, seen.length).equals(seen),
    moveTo(size) {
      from = Math.max(0, size - anchorBytes);
      seen = size === 0 ? Buffer.alloc(0) : Buffer.from(read(from, size - from));
    },
  };
}
