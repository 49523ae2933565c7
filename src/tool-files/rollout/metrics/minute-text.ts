import { type CallFlags, flagCount } from "./counted-call.ts";
import type { LatencyCells } from "./latency-cells.ts";

/** The calls of one minute. */
export interface Minute {
  readonly sinceEpoch: number;
  /** The calls, then those that each flag is true of; zeros at the end are left out. */
  readonly counts: number[];
  latencies: LatencyCells;
}

/** `29712345 120,3,1 46AcB`, separated by semicolons: a text is read and written many times faster than lists of lists. */
export const minuteTexts = /^(?:-?\d{1,16} \d{1,15}(?:,\d{1,15}){0,9} (?:\d{0,3}[a-z]{0,5}[A-Z])+(?:;(?!$)|$)){0,30}$/;

export function writeMinute({ sinceEpoch, counts, latencies }: Minute): string {
  return `${sinceEpoch} ${counts.join(",")} ${latencies}`;
}

export function readMinute(text: string): Minute {
  const [sinceEpoch, counts = "", latencies = ""] = text.split(" ");
  return { sinceEpoch: Number(sinceEpoch), counts: counts.split(",").map(Number), latencies };
}

export function addFlags(counts: number[], flags: CallFlags): void {
  increase(counts, 0, 1);
  for (let index = 0; index < flagCount; index++) if ((flags >> index) & 1) increase(counts, index + 1, 1);
}

export function addCounts(counts: number[], added: readonly number[]): void {
  for (const [index, count] of added.entries()) increase(counts, index, count);
}

/** There can't be more failures than calls, and so on: with such counts no rate leaves [0, 1]. */
export function isPlausible({ counts }: Minute): boolean {
  const [calls = 0, errors = 0, timeouts = 0, retries = 0, ...pairs] = counts;
  if (errors + timeouts > calls || retries > calls) return false;
  return pairs.every((count, index) => count <= (index % 2 === 0 ? calls : (pairs[index - 1] ?? 0)));
}

function increase(counts: number[], index: number, by: number): void {
  while (counts.length <= index) counts.push(0);
  counts[index] = (counts[index] ?? 0) + by;
}
