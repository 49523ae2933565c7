/**
 * How many calls took how long, as a short text: for each bin in turn its count as a letter (`A` is one, `Z` is 26, `aA`
 * and on above that), and a number for so many empty bins. Two calls of 1 ms and one of 1.1 ms are `7BA`.
 *
 * The bins of the decision are finer and dense: 30 minutes of them would be too much to write after each call.
 */
export type LatencyCells = string;

/** From half a millisecond to 37 minutes in steps of 9 %: the middle of a bin is at most 4.6 % off. */
const binCount = 170;
const step = 0.09;
const lowestMs = 0.5;

/** A latency that is none, as after a clock that jumped back, is the shortest there is. */
export function binOf(latencyMs: number): number {
  if (!(latencyMs > lowestMs)) return 0;
  return Math.min(Math.floor(Math.log(latencyMs / lowestMs) / step), binCount - 1);
}

/** One call more. */
export function addToCells(cells: LatencyCells, bin: number): LatencyCells {
  let reached = 0;
  for (let at = 0; at < cells.length;) {
    const end = tokenEnd(cells, at);
    if (isDigit(cells.charCodeAt(at))) {
      const gap = Number(cells.slice(at, end));
      const before = bin - reached;
      if (before < gap) {
        return cells.slice(0, at) + writeGap(before) + writeCount(1) + writeGap(gap - before - 1) + cells.slice(end);
      }
      reached += gap;
    } else {
      if (reached === bin) return cells.slice(0, at) + writeCount(readCount(cells, at, end) + 1) + cells.slice(end);
      reached += 1;
    }
    at = end;
  }
  return cells + writeGap(bin - reached) + writeCount(1);
}

/** Counts by bin, dense, to add cells to. */
export function createLatencyCounts(): number[] {
  return Array.from({ length: binCount }, () => 0);
}

/** Adds the cells to the counts. */
export function readCells(cells: LatencyCells, counts: number[]): void {
  let bin = 0;
  for (let at = 0; at < cells.length;) {
    const end = tokenEnd(cells, at);
    if (isDigit(cells.charCodeAt(at))) {
      bin += Number(cells.slice(at, end));
    } else {
      const kept = Math.min(bin, binCount - 1);
      counts[kept] = (counts[kept] ?? 0) + readCount(cells, at, end);
      bin += 1;
    }
    at = end;
  }
}

/** The latency that a share of the calls does not exceed, to four digits; null if there are none. */
export function quantileOf(counts: readonly number[], share: number): number | null {
  const rank = share * counts.reduce((sum, count) => sum + count, 0);
  let reached = 0;
  for (const [bin, count] of counts.entries()) {
    reached += count;
    // 0.95 × 100 is a little more than 95.
    if (count > 0 && reached >= rank - 1e-9) return Number((lowestMs * Math.exp((bin + 0.5) * step)).toPrecision(4));
  }
  return null;
}

function tokenEnd(cells: LatencyCells, start: number): number {
  let at = start;
  if (isDigit(cells.charCodeAt(at))) {
    while (isDigit(cells.charCodeAt(at))) at += 1;
    return at;
  }
  while (cells.charCodeAt(at) >= lowerA) at += 1;
  return at + 1;
}

function isDigit(code: number): boolean {
  return code <= 57;
}

const upperA = 65;
const lowerA = 97;

function readCount(cells: LatencyCells, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end - 1; at++) count = count * 26 + (cells.charCodeAt(at) - lowerA);
  return count * 26 + (cells.charCodeAt(end - 1) - upperA) + 1;
}

function writeCount(count: number): string {
  let rest = Math.floor((count - 1) / 26);
  let text = String.fromCharCode(upperA + ((count - 1) % 26));
  for (; rest > 0; rest = Math.floor(rest / 26)) text = String.fromCharCode(lowerA + (rest % 26)) + text;
  return text;
}

function writeGap(bins: number): string {
  return bins > 0 ? String(bins) : "";
}
