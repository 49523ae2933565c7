import { open } from "node:fs/promises";
import type { FrozenSegment } from "./segments.ts";

/** One line as it lies in its file, without its line end. */
export interface PlacedLine {
  readonly bytes: Buffer;
  /** Where it begins. */
  readonly offset: number;
}

const blockBytes = 65_536;

/** The lines of a file from its end on, block by block. `before`: only those that begin before this place. */
export async function* readBackwards(
  { path, handle, bytes: length }: Pick<FrozenSegment, "path" | "handle" | "bytes">,
  before = Number.POSITIVE_INFINITY,
): AsyncGenerator<PlacedLine> {
  const file = handle ?? (await open(path, "r"));
  try {
    let end = Math.min(length, before);
    let rest: Buffer[] = [];
    while (end > 0) {
      const begin = Math.max(0, end - blockBytes);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - begin), 0, end - begin, begin);
      const block = buffer.subarray(0, bytesRead);
      let to = block.length;
      for (let at = block.lastIndexOf(10); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(10, at - 1)) {
        const last = block.subarray(at + 1, to);
        const bytes = rest.length > 0 ? Buffer.concat([last, ...rest]) : last;
        rest = [];
        to = at;
        if (bytes.length > 0) yield { bytes, offset: begin + at + 1 };
      }
      rest = [block.subarray(0, to), ...rest];
      end = begin;
    }
    const first = Buffer.concat(rest);
    if (first.length > 0) yield { bytes: first, offset: 0 };
  } finally {
    if (!handle) await file.close();
  }
}
