import type { Execution } from "./call.ts";

/** What is taken out of records and events before anything sees them. The caller of the tool gets the raw result. */
export interface Mask {
  execution(execution: Execution): Execution;
  text(text: string): string;
  /** Any JSON value, deep. Left out: a value that is no text can't be masked, and is not told. */
  value?<Value>(value: Value): Value;
  /** For output that comes in pieces. Left out: each piece is masked by itself. */
  stream?(): MaskStream;
}

/** Masks text piece by piece, so that a secret in two of them is found: what comes out in all is what masking the whole would give. */
export interface MaskStream {
  /** What can be told by now; it may be less than what came, and empty. */
  push(piece: string): string;
  /** The rest. */
  end(): string;
}

export const maskNothing: Mask = { execution: (execution) => execution, text: (text) => text };
