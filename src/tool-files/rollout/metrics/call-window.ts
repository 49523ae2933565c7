import type { CallFigures } from "./call-figures.ts";
import { type CountedCall, flagsOf, packCall, packedCalls, packedLength, unpackCall } from "./counted-call.ts";
import { addToCells, binOf, createLatencyCounts, quantileOf, readCells } from "./latency-cells.ts";
import { addCounts, addFlags, isPlausible, type Minute, minuteTexts, readMinute, writeMinute } from "./minute-text.ts";

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
