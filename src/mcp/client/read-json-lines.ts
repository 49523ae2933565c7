import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Twice what the largest honest message can have. */
const longestLine = 64 * 1024 * 1024;

/** Calls back with each line. One that is too long is told once; then nothing is read any more. */
export function readLines(stream: Readable, handlers: { onLine(line: string): void; onTooLong(): void }): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  stream.on("data", (bytes: Buffer) => {
    const [first = "", ...rest] = decoder.write(bytes).split("\n");
    pieces.push(first);
    length += first.length;
    for (const next of rest) {
      handlers.onLine(pieces.join("").replace(/\r$/, ""));
      pieces = [next];
      length = next.length;
    }
    if (length <= longestLine) return;
    pieces = [];
    stream.removeAllListeners("data");
    stream.resume();
    handlers.onTooLong();
  });
}
