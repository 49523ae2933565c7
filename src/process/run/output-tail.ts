import { readSync } from "node:fs";

/** Follows a growing file and hands out its new text in pieces of whole characters. */
export interface OutputTail {
  /** Reads what is new up to `size`; what is more than one piece behind is skipped. */
  advance(size: number): void;
  /** Takes bytes that somebody else has read; `from` is where they stood in the file. */
  feed(bytes: Buffer, from: number): void;
  /** The file was cut back to nothing; what follows goes on where the text is now. */
  restart(): void;
  /** Reads the rest and gives what was held back: the beginning of a character that never came. */
  finish(size: number): void;
}

/** The most that is read in one turn, and so all the memory that output of any size takes. */
const usualBytes = 64 * 1024;

/** `skippedBytes`: how much before this text nobody will see. */
export type GiveText = (text: string, skippedBytes: number) => void;

export function createOutputTail(fd: number, give: GiveText, pieceBytes = usualBytes): OutputTail {
  let position = 0;
  let decoder = newDecoder();

  function advance(size: number): void {
    const start = Math.max(position, size - pieceBytes);
    if (size <= start) return;
    const buffer = Buffer.allocUnsafe(size - start);
    feed(buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, start)), start);
  }

  function feed(bytes: Buffer, from: number): void {
    const skipped = from > position;
    if (skipped) decoder = newDecoder();
    const start = skipped ? firstCharacter(bytes) : position - from;
    const skippedBytes = skipped ? from + start - position : 0;
    position = Math.max(position, from + bytes.length);
    hand(decoder.decode(bytes.subarray(start), { stream: true }), skippedBytes);
  }

  function hand(text: string, skippedBytes = 0): void {
    if (text !== "") give(text, skippedBytes);
  }

  return {
    advance,
    feed,
    restart() {
      position = 0;
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
function firstCharacter(buffer: Buffer): number {
  let at = 0;
  while (at < Math.min(buffer.length, 3) && (buffer[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
