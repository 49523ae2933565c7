import {
  type CallFigures,
  type CallFlags,
  type CountedCall,
  flagCount,
  flagsOf,
  packCall,
  packedCalls,
  packedLength,
  unpackCall,
} from "./counted-call.ts";

/**
 * The last 100 calls and the last 30 minutes: plain JSON, packed because it is read and written for each call.
 *
 * The clock may jump. The last 100 calls do not care. Of the minutes, a jump ahead leaves behind what is older than 30
 * minutes then. A call from before the newest minute counts into that minute; if it is 30 minutes or more before it, the
 * clock had been wrong, and the minutes begin anew. A time that is none counts into the newest minute, if there is one.
 */
export interface CallWindow {
  readonly v: 1;
  /** Oldest first, three characters each. */
  calls: string;
  /** Those with calls, oldest first. */
  minutes: string;
}

const ringLength = 100 * packedLength;
const windowMinutes = 30;
const minuteMs = 60_000;

export function createCallWindow(): CallWindow {
  return { v: 1, calls: "", minutes: "" };
}

/** In constant time; the window is changed in place. */
export function addCall(window: CallWindow, call: CountedCall): void {
  const flags = flagsOf(call);
  const bin = binOf(call.latencyMs);
  window.calls = (window.calls + packCall(flags, bin)).slice(-ringLength);
  const place = placeInMinutes(window.minutes, call.at);
  if (!place) return;
  const { before, minute } = place;
  minute.latencies = addToCells(minute.latencies, bin);
  addFlags(minute.counts, flags);
  window.minutes = before + writeMinute(minute);
}

export function figuresOf(
  window: CallWindow,
  now: number,
): { readonly lastCalls: CallFigures; readonly lastMinutes: CallFigures } {
  return { lastCalls: figuresOfCalls(window.calls), lastMinutes: figuresOfMinutes(minutesUntil(window, now)) };
}

/** A copy of a window that was stored; a fresh one when it is damaged. */
export function parseCallWindow(value: unknown): CallWindow {
  const { v, calls, minutes } = Object(value) as { readonly [Key in keyof CallWindow]?: unknown };
  const isSound = v === 1 && isText(calls, packedCalls) && calls.length <= ringLength && isText(minutes, minuteTexts);
  return isSound ? { v, calls, minutes } : createCallWindow();
}

/** The minute that a call counts into, and the text of those before it. */
function placeInMinutes(minutes: string, at: number): { before: string; minute: Minute } | undefined {
  const start = minutes.lastIndexOf(";") + 1;
  const newest = minutes === "" ? undefined : readMinute(minutes.slice(start));
  const asked = Math.floor(at / minuteMs);
  const ahead = newest && Number.isSafeInteger(asked) ? asked - newest.sinceEpoch : 0;
  if (newest && ahead <= 0 && ahead > -windowMinutes) return { before: minutes.slice(0, start), minute: newest };
  if (!Number.isSafeInteger(asked)) return undefined;
  const kept = textsOf(minutes).filter((text) => ahead > 0 && isWithin(Number.parseInt(text, 10), asked));
  return {
    before: kept.map((text) => `${text};`).join(""),
    minute: { sinceEpoch: asked, counts: [], latencies: "" },
  };
}

/** A clock that is less than the window behind the newest minute still sees it. */
function minutesUntil(window: CallWindow, now: number): readonly Minute[] {
  const minutes = textsOf(window.minutes).map(readMinute);
  const newest = minutes.at(-1)?.sinceEpoch ?? 0;
  const asked = Math.floor(now / minuteMs);
  const isBehind = asked < newest && asked > newest - windowMinutes;
  const last = isBehind || !Number.isSafeInteger(asked) ? newest : asked;
  return minutes.filter((minute) => isWithin(minute.sinceEpoch, last) && isPlausible(minute));
}

function textsOf(minutes: string): readonly string[] {
  return minutes === "" ? [] : minutes.split(";");
}

function isWithin(minute: number, last: number): boolean {
  return minute <= last && minute > last - windowMinutes;
}

function figuresOfCalls(packed: string): CallFigures {
  const counts: number[] = [];
  const latencies = createLatencyCounts();
  for (let at = 0; at < packed.length; at += packedLength) {
    const { flags, latencyBin } = unpackCall(packed, at);
    addFlags(counts, flags);
    latencies[latencyBin] = (latencies[latencyBin] ?? 0) + 1;
  }
  return figuresFrom(counts, latencies);
}

function figuresOfMinutes(minutes: readonly Minute[]): CallFigures {
  const counts: number[] = [];
  const latencies = createLatencyCounts();
  for (const minute of minutes) {
    addCounts(counts, minute.counts);
    readCells(minute.latencies, latencies);
  }
  return figuresFrom(counts, latencies);
}

function figuresFrom(counts: readonly number[], latencies: readonly number[]): CallFigures {
  const [calls = 0, errors, timeouts, retries, ...known] = counts;
  const [formatKnown, formatOk, followUpKnown, followUps, correctedKnown, corrected] = known;
  return {
    calls,
    errorRate: rate(errors, calls),
    timeoutRate: rate(timeouts, calls),
    p50: quantileOf(latencies, 0.5),
    p95: quantileOf(latencies, 0.95),
    p99: quantileOf(latencies, 0.99),
    retryRate: rate(retries, calls),
    formatPassRate: rate(formatOk, formatKnown),
    followUpRate: rate(followUps, followUpKnown),
    correctionRate: rate(corrected, correctedKnown),
  };
}

function rate(count = 0, of = 0): number | null {
  return of === 0 ? null : count / of;
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

/** The calls of one minute. */
interface Minute {
  readonly sinceEpoch: number;
  /** The calls, then those that each flag is true of; zeros at the end are left out. */
  readonly counts: number[];
  latencies: LatencyCells;
}

/** `29712345 120,3,1 46AcB`, separated by semicolons: a text is read and written many times faster than lists of lists. */
const minuteTexts = /^(?:-?\d{1,16} \d{1,15}(?:,\d{1,15}){0,9} (?:\d{0,3}[a-z]{0,5}[A-Z])+(?:;(?!$)|$)){0,30}$/;

function writeMinute({ sinceEpoch, counts, latencies }: Minute): string {
  return `${sinceEpoch} ${counts.join(",")} ${latencies}`;
}

function readMinute(text: string): Minute {
  const [sinceEpoch, counts = "", latencies = ""] = text.split(" ");
  return { sinceEpoch: Number(sinceEpoch), counts: counts.split(",").map(Number), latencies };
}

function addFlags(counts: number[], flags: CallFlags): void {
  increase(counts, 0, 1);
  for (let index = 0; index < flagCount; index++) if ((flags >> index) & 1) increase(counts, index + 1, 1);
}

function addCounts(counts: number[], added: readonly number[]): void {
  for (const [index, count] of added.entries()) increase(counts, index, count);
}

/** There can't be more failures than calls, and so on: with such counts no rate leaves [0, 1]. */
function isPlausible({ counts }: Minute): boolean {
  const [calls = 0, errors = 0, timeouts = 0, retries = 0, ...pairs] = counts;
  if (errors + timeouts > calls || retries > calls) return false;
  return pairs.every((count, index) => count <= (index % 2 === 0 ? calls : (pairs[index - 1] ?? 0)));
}

function increase(counts: number[], index: number, by: number): void {
  while (counts.length <= index) counts.push(0);
  counts[index] = (counts[index] ?? 0) + by;
}

/**
 * How many calls took how long, as a short text: for each bin in turn its count as a letter (`A` is one, `Z` is 26, `aA`
 * and on above that), and a number for so many empty bins. Two calls of 1 ms and one of 1.1 ms are `7BA`.
 *
 * The bins of the decision are finer and dense: 30 minutes of them would be too much to write after each call.
 */
type LatencyCells = string;

/** From half a millisecond to 37 minutes in steps of 9 %: the middle of a bin is at most 4.6 % off. */
const binCount = 170;
const step = 0.09;
const lowestMs = 0.5;

/** A latency that is none, as after a clock that jumped back, is the shortest there is. */
function binOf(latencyMs: number): number {
  if (!(latencyMs > lowestMs)) return 0;
  return Math.min(Math.floor(Math.log(latencyMs / lowestMs) / step), binCount - 1);
}

/** One call more. */
function addToCells(cells: LatencyCells, bin: number): LatencyCells {
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
function createLatencyCounts(): number[] {
  return Array.from({ length: binCount }, () => 0);
}

/** Adds the cells to the counts. */
function readCells(cells: LatencyCells, counts: number[]): void {
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
function quantileOf(counts: readonly number[], share: number): number | null {
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
