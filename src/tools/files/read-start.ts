import type { BigIntStats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { constants } from "node:fs";
import { systemFailure } from "../failure.ts";
import type { Failure } from "../failure.ts";
import type { Held } from "./locate-file.ts";
import { openFile } from "./open-file.ts";

export interface FileStart {
  readonly ok: true;
  /** The file from its first byte, at most as many bytes as asked for. */
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly stats: BigIntStats;
}

/** Reads a regular file up to a limit. */
export async function readStart(held: Held, maxBytes: number): Promise<FileStart | Failure> {
  const opened = await openFile(held);
  if (!opened.ok) return opened;
  const { handle, stats } = opened;
  try {
    return { ok: true, stats, ...(await readUpTo(handle, Number(stats.size), maxBytes)) };
  } catch (thrown) {
    return systemFailure(thrown, held.shown);
  } finally {
    await handle.close();
  }
}

/** The same for a file that no model named: one of our own, or one that says what git ignores. Empty when it can't be. */
export async function readOwnStart(path: string, maxBytes: number): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = await handle.stat();
    return stats.isFile() ? (await readUpTo(handle, stats.size, maxBytes)).bytes : Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await handle?.close();
  }
}

async function readUpTo(
  handle: FileHandle,
  size: number,
  maxBytes: number,
): Promise<Pick<FileStart, "bytes" | "isWhole">> {
  // One byte more than there should be, to notice a file that grows.
  const buffer = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { bytes: buffer.subarray(0, Math.min(length, buffer.length - 1)), isWhole: length < buffer.length };
}
