import type { Runtime } from "../runtime/runtime.ts";

/** What the calls of this process have printed so far, masked. It is kept only while they run. */
export interface LiveOutputs {
  /** Undefined: it does not run here. */
  of(executionId: string): LiveOutput | undefined;
  close(): void;
}

export interface LiveOutput {
  /** The end of it. */
  readonly text: string;
  /** How much came in all; the text has less when the beginning was cut, or its watchers were too slow. */
  readonly bytes: number;
  readonly isCut: boolean;
}

const keptCharacters = 64 * 1024;

interface Kept {
  pieces: string[];
  /** Of the pieces. */
  length: number;
  bytes: number;
  isCut: boolean;
}

/** From now on; of what runs already, from its next piece on. */
export function followOutputs({ on }: Pick<Runtime, "on">): LiveOutputs {
  const running = new Map<string, Kept>();

  const stops = [
    on("execution:started", ({ id }) => {
      running.set(id, { pieces: [], length: 0, bytes: 0, isCut: false });
    }),
    on("execution:progressed", ({ id, progress: { output } }) => {
      const kept = running.get(id);
      if (!kept || output === undefined || output === "") return;
      kept.pieces.push(output);
      kept.length += output.length;
      kept.bytes += Buffer.byteLength(output);
      // Not for each piece: joining costs as much as there is.
      if (kept.length > 2 * keptCharacters) keepEnd(kept);
    }),
    on("execution:settled", ({ id }) => void running.delete(id)),
  ];

  return {
    of(executionId) {
      const kept = running.get(executionId);
      if (!kept) return undefined;
      keepEnd(kept);
      return { text: kept.pieces.join(""), bytes: kept.bytes, isCut: kept.isCut };
    },
    close() {
      for (const stop of stops) stop();
      running.clear();
    },
  };
}

function keepEnd(kept: Kept): void {
  const whole = kept.pieces.join("");
  const text = endOf(whole, keptCharacters);
  kept.isCut ||= text.length < whole.length;
  kept.pieces = [text];
  kept.length = text.length;
}

/** From a line on, where there is one to begin with. */
function endOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = text.length - most;
  const line = text.indexOf("\n", from) + 1;
  const start = line > 0 && line < text.length ? line : from;
  const isHalf = (text.charCodeAt(start) & 0xfc00) === 0xdc00;
  return text.slice(isHalf ? start + 1 : start);
}
