import type { Readable } from "node:stream";

/** More than any line needs; one that never ends must not fill the memory. */
const longestLine = 16 * 1024 * 1024;

/** A line, or why it can't be used. */
export type Line = { readonly text: string } | { readonly problem: string };

/** The lines of a stream as they come. The next one is only read when somebody asks for it. */
export async function* readLines(stream: Readable): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Buffer[] = [];
  let length = 0;

  function* take(part: Buffer): Generator<Line> {
    if (length <= longestLine) parts.push(part);
    const whole = Buffer.concat(parts);
    const isTooLong = length + part.length > longestLine;
    parts = [];
    length = 0;
    yield isTooLong ? { problem: `The line is longer than ${longestLine / 1024 / 1024} MB.` } : decode(whole);
  }

  function decode(bytes: Buffer): Line {
    try {
      return { text: decoder.decode(bytes) };
    } catch {
      return { problem: "The line is not UTF-8 text." };
    }
  }

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield* take(chunk.subarray(from, end));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (length <= longestLine && rest.length > 0) parts.push(rest);
    length += rest.length;
  }
  if (length > 0) yield* take(Buffer.alloc(0));
}
