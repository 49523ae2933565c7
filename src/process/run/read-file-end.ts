import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** The end of a file that may still grow. */
export interface FileEnd {
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** The text begins later than the file. */
  readonly isCut: boolean;
}

/** From a whole line on. Undefined when it is gone, or is no file. */
export function readFileEnd(path: string, mostBytes: number): FileEnd | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return undefined;
    const from = Math.max(0, stats.size - mostBytes);
    const buffer = Buffer.alloc(stats.size - from);
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from));
    const start = from === 0 ? 0 : bytes.indexOf(10) + 1;
    return { text: bytes.toString("utf8", start), bytes: stats.size, isCut: from > 0 };
  } finally {
    closeSync(fd);
  }
}
