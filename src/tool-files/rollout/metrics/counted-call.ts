/** A call that has ended, as the metrics see it. What is left out is not known, and counts neither way. */
export interface CountedCall {
  /** When it ended. */
  readonly at: number;
  readonly outcome: "ok" | "error" | "timeout" | "wrong" | "fatal";
  /** Of a call that ran into its time limit: how long it was waited for. */
  readonly latencyMs: number;
  /** It repeats one that had failed. */
  readonly isRetry: boolean;
  /** Its output had the form it should have. */
  readonly formatOk?: boolean;
  /** The conversation makes again, with another input, the call that it has just made. */
  readonly isFollowUp?: boolean;
  /** A person corrected its result. */
  readonly isCorrected?: boolean;
}

/**
 * What is true of a call, one bit each, in the order in which it is counted: it failed, it ran into its limit, it is a retry;
 * and each of the last three twice: whether it is known, and whether it is so.
 */
export type CallFlags = number;

export const flagCount = 9;
const knownFlags = 0b010101000;

export function flagsOf({ outcome, isRetry, formatOk, isFollowUp, isCorrected }: CountedCall): CallFlags {
  const failed = outcome === "ok" ? 0 : outcome === "timeout" ? 2 : 1;
  return (
    failed |
    (isRetry ? 4 : 0) |
    (knownAndSo(formatOk) << 3) |
    (knownAndSo(isFollowUp) << 5) |
    (knownAndSo(isCorrected) << 7)
  );
}

function knownAndSo(value: boolean | undefined): number {
  return value === undefined ? 0 : value ? 3 : 1;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Nine flags and eight bits of latency are 17 bits: three digits of six. */
export const packedLength = 3;
export const packedCalls = /^(?:[\w-]{3})*$/;

export function packCall(flags: CallFlags, latencyBin: number): string {
  const bits = (flags << 8) | latencyBin;
  return digits.charAt(bits >> 12) + digits.charAt((bits >> 6) & 63) + digits.charAt(bits & 63);
}

/** Of the call whose three digits begin there. */
export function unpackCall(packed: string, start: number): { readonly flags: CallFlags; readonly latencyBin: number } {
  let bits = 0;
  for (let at = start; at < start + packedLength; at++) bits = (bits << 6) | digits.indexOf(packed.charAt(at));
  const flags = bits >> 8;
  // What is not known is not so, whatever a damaged text says.
  return { flags: flags & ~((~flags & knownFlags) << 1), latencyBin: bits & 255 };
}

/** What a window of calls shows. Rates are shares of `calls`, the last three of those calls that it is known of; null: of none. */
export interface CallFigures {
  readonly calls: number;
  readonly errorRate: number | null;
  readonly timeoutRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** Calls that repeated one that had failed. */
  readonly retryRate: number | null;
  /** Outputs that had the form they should have; null for tools that promise none. */
  readonly formatPassRate: number | null;
  /** Calls that the same conversation made again at once, with another input. */
  readonly followUpRate: number | null;
  /** Calls whose result a person corrected. */
  readonly correctionRate: number | null;
}
