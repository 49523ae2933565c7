import { closeSync, fstatSync } from "node:fs";
import { trimLog } from "./background-log.ts";
import { createOutputTail } from "./output-tail.ts";
import type { Ticker } from "./ticker.ts";

export interface WatchedLog {
  /** Closed when the watching ends. */
  readonly fd: number;
  /** Whoever waits for words; returns false when it needs no more. Left out: nobody listens. */
  readonly hear?: (piece: string) => boolean;
}

const busyBytes = 256 * 1024;
/** More than comes between two turns, so that words that are waited for are not skipped. */
const pieceBytes = 8 * 1024 * 1024;

/** Keeps the log of a background process short, and lets somebody hear what is written to it. */
export function watchLog(ticker: Ticker, folder: string, { fd, hear }: WatchedLog): () => void {
  let listening = hear !== undefined;
  let lastSize = 0;
  const tail = createOutputTail(fd, (piece) => void (listening = listening && hear!(piece)), pieceBytes);
  const remove = ticker.add(() => {
    const size = fstatSync(fd).size;
    const grown = size - lastSize;
    lastSize = size;
    if (listening) tail.advance(size);
    const kept = trimLog(folder, grown > 0);
    if (kept) {
      if (listening) tail.feed(kept.bytes, kept.from);
      tail.restart();
      lastSize = 0;
    }
    return grown > busyBytes ? 5 : 50;
  });
  let watching = true;
  return () => {
    if (!watching) return;
    watching = false;
    remove();
    closeSync(fd);
  };
}
