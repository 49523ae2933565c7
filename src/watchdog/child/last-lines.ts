/** The end of what a child printed, in constant memory however much that was, and however many children there are. */
export interface LastLines {
  add(bytes: Uint8Array): void;
  /** Begins anew, for the next child. */
  clear(): void;
  read(): string[];
}

const mostLines = 200;

export function createLastLines(maxBytes = 128 * 1024): LastLines {
  const ring = Buffer.alloc(maxBytes);
  let total = 0;
  return {
    add(bytes) {
      const kept = bytes.subarray(Math.max(0, bytes.length - maxBytes));
      const at = (total + bytes.length - kept.length) % maxBytes;
      const first = Math.min(kept.length, maxBytes - at);
      ring.set(kept.subarray(0, first), at);
      ring.set(kept.subarray(first), 0);
      total += bytes.length;
    },
    clear() {
      total = 0;
    },
    read() {
      const at = total % maxBytes;
      const text = total <= maxBytes ? ring.toString("utf8", 0, total) : joinEnds(ring, at);
      const lines = text.split(/\r?\n/);
      if (lines.at(-1) === "") lines.pop();
      // The first one was overwritten in part.
      if (total > maxBytes && lines.length > 1) lines.shift();
      return lines.slice(-mostLines);
    },
  };
}

function joinEnds(ring: Buffer, at: number): string {
  return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]).toString("utf8");
}
