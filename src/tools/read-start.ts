import type { BigIntStats } from "node:fs";
import { systemFailure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import type { Located } from "./locate.ts";
import { openFile } from "./open-file.ts";

export interface FileStart {
  readonly ok: true;
  /** The file from its first byte, at most as many bytes as asked for. */
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly stats: BigIntStats;
}

/** Reads a regular file up to a limit. */
export async function readStart(located: Located, maxBytes: number): Promise<FileStart | Failure> {
  const opened = await openFile(located);
  if (!opened.ok) return opened;
  const { handle, stats } = opened;
  try {
    // One byte more than there should be, to notice a file that grows.
    const buffer = Buffer.allocUnsafe(Math.min(Number(stats.size), maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return {
      ok: true,
      bytes: buffer.subarray(0, Math.min(length, buffer.length - 1)),
      isWhole: length < buffer.length,
      stats,
    };
  } catch (thrown) {
    return systemFailure(thrown, located.shown);
  } finally {
    await handle.close();
  }
}
