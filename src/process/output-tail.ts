import { readSync } from "node:fs";

/** Follows a growing file and hands out its new text in pieces of whole characters. */
export interface OutputTail {
  /** Reads what is new up to `size`; what is more than one piece behind is skipped. */
  advance(size: number): void;
  /** The file was cut back to nothing. */
  restart(): void;
  /** Reads the rest and gives what was held back: the beginning of a character that never came. */
  finish(size: number): void;
}

/** The most that is read in one turn, and so all the memory that output of any size takes. */
const usualBytes = 64 * 1024;

export function createOutputTail(fd: number, give: (text: string) => void, pieceBytes = usualBytes): OutputTail {
  let position = 0;
  let decoder = newDecoder();

  function advance(size: number): void {
    let start = position;
    if (size - start > pieceBytes) {
      start = size - pieceBytes;
      decoder = newDecoder();
    }
    if (size <= start) return;
    const buffer = Buffer.allocUnsafe(size - start);
    const count = readSync(fd, buffer, 0, buffer.length, start);
    const from = start === position ? 0 : firstCharacter(buffer, count);
    position = start + count;
    hand(decoder.decode(buffer.subarray(from, count), { stream: true }));
  }

  function hand(text: string): void {
    if (text !== "") give(text);
  }

  return {
    advance,
    restart() {
      position = 0;
      decoder = newDecoder();
    },
    finish(size) {
      advance(size);
      hand(decoder.decode());
    },
  };
}

function newDecoder() {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

/** Skipping may land inside a character: its remaining bytes all look like 10xxxxxx. */
function firstCharacter(buffer: Buffer, count: number): number {
  let at = 0;
  while (at < Math.min(count, 3) && (buffer[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
