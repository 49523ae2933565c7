import { open, type FileHandle } from "node:fs/promises";

/** Follows a growing file and hands out whole lines, in memory that does not grow with either. */
export interface LineTail {
  /** How much was read. */
  readonly bytes: number;
  /** Reads what is new, at most so much; false when there is more. */
  advance(maxBytes: number): Promise<boolean>;
  /** Reads the rest, at most so much, and gives the last line, which may have no end. */
  finish(maxBytes: number): Promise<void>;
  close(): Promise<void>;
}

const chunkBytes = 64 * 1024;
/** What is longer is cut, and says so: the longest answer fits, and somebody who prints no newline must not fill the memory. */
const maxLineBytes = 8 * 1024 * 1024;
const newline = 10;

/** A file that is not there is one without lines, for now. */
export function openLineTail(path: string, give: (line: string) => void): LineTail {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let file: FileHandle | undefined;
  let position = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let cutBytes = 0;

  function feed(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      hold(bytes.subarray(from, at));
      giveHeld();
      from = at + 1;
    }
    hold(bytes.subarray(from));
  }

  function hold(part: Buffer): void {
    const taken = part.subarray(0, maxLineBytes - heldBytes);
    cutBytes += part.length - taken.length;
    if (taken.length === 0) return;
    held.push(Buffer.from(taken));
    heldBytes += taken.length;
  }

  function giveHeld(): void {
    const text = Buffer.concat(held).toString("utf8");
    const note = cutBytes === 0 ? "" : `… [${cutBytes} bytes of this line cut]`;
    held = [];
    heldBytes = 0;
    cutBytes = 0;
    give((text.endsWith("\r") ? text.slice(0, -1) : text) + note);
  }

  async function readChunk(): Promise<number> {
    file ??= await openQuietly(path);
    if (!file) return 0;
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0 && position > 0 && (await file.stat()).size < position) {
      // The agent emptied it, as `> /dev/stdout` does: it goes on from the beginning.
      position = 0;
    }
    position += bytesRead;
    feed(chunk.subarray(0, bytesRead));
    return bytesRead;
  }

  async function advance(maxBytes: number): Promise<boolean> {
    for (let read = 0; read < maxBytes;) {
      const bytes = await readChunk();
      if (bytes === 0) return true;
      read += bytes;
    }
    return false;
  }

  return {
    get bytes() {
      return position;
    },
    advance,
    async finish(maxBytes) {
      await advance(maxBytes);
      if (heldBytes > 0) giveHeld();
    },
    async close() {
      await file?.close();
      file = undefined;
    },
  };
}

async function openQuietly(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch {
    return undefined;
  }
}
