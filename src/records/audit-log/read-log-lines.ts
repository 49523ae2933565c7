import { open } from "node:fs/promises";
import type { FrozenSegment } from "./segments.ts";
import { hashOfLine, linePrefix, parseLine, type Line } from "./log-line.ts";

/** One line of a file as it lies there, without its line end. The bytes are only good until the next one is asked for. */
export interface RawLine {
  readonly bytes: Buffer;
  /** Counted from 1. */
  readonly number: number;
  readonly isEnded: boolean;
}

const blockBytes = 1024 * 1024;

type Source = Pick<FrozenSegment, "path" | "handle"> & Partial<Pick<FrozenSegment, "bytes">>;

/** All lines of a file, as far as it is asked for, in blocks, with the memory of one block and the longest line. */
export async function* readLines({ path, handle, bytes: end = Infinity }: Source): AsyncGenerator<RawLine[]> {
  const file = handle ?? (await open(path, "r"));
  try {
    let rest: Buffer[] = [];
    let number = 0;
    for (let position = 0; position < end;) {
      const length = Math.min(blockBytes, end - position);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const block = buffer.subarray(0, bytesRead);
      const lines: RawLine[] = [];
      let from = 0;
      for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, from)) {
        const bytes = block.subarray(from, at);
        number += 1;
        lines.push({ bytes: rest.length > 0 ? Buffer.concat([...rest, bytes]) : bytes, number, isEnded: true });
        rest = [];
        from = at + 1;
      }
      if (from < block.length) rest.push(block.subarray(from));
      if (lines.length > 0) yield lines;
    }
    if (rest.length > 0) yield [{ bytes: Buffer.concat(rest), number: number + 1, isEnded: false }];
  } finally {
    if (!handle) await file.close();
  }
}

/** A whole line whose hash is true; and what stands before it in the same line, because a writer died within its own. */
export interface FoundLine {
  readonly line: Line;
  readonly bytes: Buffer;
  readonly before: Buffer | null;
}

/** Whoever puts in many beginnings of lines must not make it slow. */
const mostTries = 50;

export function findLine(bytes: Buffer): FoundLine | undefined {
  const line = parseLine(bytes);
  if (line && hashOfLine(bytes) === line.hash) return { line, bytes, before: null };
  // From the end: what a tool was given may look like the beginning of a line.
  let from = bytes.lastIndexOf(linePrefix);
  for (let tries = 0; from > 0 && tries < mostTries; tries++, from = bytes.lastIndexOf(linePrefix, from - 1)) {
    const part = bytes.subarray(from);
    const inner = parseLine(part);
    if (inner && hashOfLine(part) === inner.hash) return { line: inner, bytes: part, before: bytes.subarray(0, from) };
  }
  return undefined;
}
