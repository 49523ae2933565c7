import { open } from "node:fs/promises";
import type { OutputFile } from "../../process/run/run-request.ts";
import { formatCount } from "../format-bytes.ts";

/** What a model sees of a stream: all of it, or its head and tail. */
export interface OutputExtract {
  readonly text: string;
  /** Bytes that are not in `text`. */
  readonly leftOut: number;
  /** Of the whole output; null when it is too long to be counted. */
  readonly lines: number | null;
}

/** Reads at most `maxBytes` of the file, half from each end, whatever its size. Broken characters become U+FFFD. */
export async function extractOutput(file: OutputFile, maxBytes: number): Promise<OutputExtract> {
  if (file.bytes === 0) return { text: "", leftOut: 0, lines: 0 };
  const handle = await open(file.path, "r");
  try {
    const read = async (from: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    if (file.bytes <= maxBytes) {
      const text = decoder.decode(await read(0, file.bytes));
      return { text, leftOut: 0, lines: countLines(text) };
    }
    const half = Math.floor(maxBytes / 2);
    const head = dropBrokenEnd(dropPartOfLine(await read(0, half), "end"));
    const tail = dropBrokenStart(dropPartOfLine(await read(file.bytes - half, half), "start"));
    const leftOut = file.bytes - head.length - tail.length;
    const hidden = leftOut <= maxCountedBytes ? decoder.decode(await read(head.length, leftOut)) : null;
    const size = hidden === null ? `${formatCount(leftOut)} bytes` : `${formatCount(hidden.length)} characters`;
    const note = `${head.at(-1) === newline ? "" : "\n"}… [${size} left out] …\n`;
    const [begin, end] = [decoder.decode(head), decoder.decode(tail)];
    return { text: begin + note + end, leftOut, lines: hidden === null ? null : countLines(begin + hidden + end) };
  } finally {
    await handle.close();
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is left out is read only to say how much it is: beyond this, its size in bytes has to do. */
const maxCountedBytes = 8_000_000;

/** The last line counts also without a newline behind it. */
function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

const newline = 0x0a;
/** The longest part of a line that is given up so that a cut is between two. */
const maxPart = 2048;

/** Half a line is hard to read, and half a secret hard to find. */
function dropPartOfLine(bytes: Buffer, at: "start" | "end"): Buffer {
  if (at === "end") {
    const end = bytes.lastIndexOf(newline) + 1;
    return end > 0 && bytes.length - end <= maxPart ? bytes.subarray(0, end) : bytes;
  }
  const start = bytes.indexOf(newline) + 1;
  return start > 0 && start <= maxPart && start < bytes.length ? bytes.subarray(start) : bytes;
}

/** Without the character that the cut went through. */
function dropBrokenEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

function dropBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
