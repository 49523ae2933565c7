import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Twice what the largest honest message can have. */
const longestFrame = 64 * 1024 * 1024;

/**
 * Calls back with each line, parsed. What is no JSON object, or too long, is told once; then nothing is read any more.
 */
export function readFrames(
  stream: Readable,
  handlers: { onFrame(frame: unknown): void; onGarbage(what: string): void },
): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  stream.on("data", (bytes: Buffer) => {
    let text = decoder.write(bytes);
    let at: number;
    while ((at = text.indexOf("\n")) >= 0) {
      const line = pieces.join("") + text.slice(0, at);
      pieces = [];
      length = 0;
      text = text.slice(at + 1);
      const frame = parse(line);
      if (frame === undefined) return giveUp(`"${line.slice(0, 80)}"`);
      handlers.onFrame(frame);
    }
    length += text.length;
    if (length > longestFrame) return giveUp(`a message of more than ${longestFrame} characters`);
    if (text !== "") pieces.push(text);
  });

  function giveUp(what: string): void {
    stream.removeAllListeners("data");
    stream.resume();
    handlers.onGarbage(what);
  }
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
