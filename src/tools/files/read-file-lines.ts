import type { FileHandle } from "node:fs/promises";
import { collectLines } from "../search/collect-lines.ts";
import type { CollectedLines, LineRange } from "../search/collect-lines.ts";
import type { TextFormat } from "./text-format.ts";

export interface TextSource {
  readonly handle: FileHandle;
  readonly format: TextFormat;
  readonly size: number;
}

/** When this little is left of a file after the range, its lines are counted to the end. */
const countableBytes = 4_000_000;
const pieceBytes = 262_144;

/**
 * Reads a range of lines in pieces: memory depends on what is returned, never on the file, and time on where the range
 * ends, because the lines before it have to be counted.
 */
export async function readLines(source: TextSource, range: LineRange, signal: AbortSignal): Promise<CollectedLines> {
  const collector = collectLines(range);
  const toUtf8 = utf8Converter(source.format);
  const piece = Buffer.allocUnsafe(Math.min(source.size + 4096, pieceBytes));
  let position: number = source.format.markBytes;
  let last = Infinity;
  while (position < last) {
    signal.throwIfAborted();
    const { bytesRead } = await source.handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return collector.end();
    collector.take(toUtf8(piece.subarray(0, bytesRead)));
    position += bytesRead;
    if (last === Infinity && collector.isDone()) {
      const countable = collector.stoppedBy() !== "long_line" && source.size - position <= countableBytes;
      // A file that grows while it is read is followed for a while, not for ever.
      last = countable ? position + 2 * countableBytes : position;
    }
  }
  return collector.give();
}

/** Lines are found by their newline byte, so UTF-16 is turned into UTF-8 as it comes. */
function utf8Converter(format: TextFormat): (bytes: Buffer) => Buffer {
  if (format.encoding === "utf-8") return (bytes) => bytes;
  const decoder = new TextDecoder(format.encoding, { ignoreBOM: true });
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: true }));
}
