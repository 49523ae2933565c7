import { RuntimeError } from "../../core/errors.ts";
import { nearest } from "../../core/text.ts";

/** Local time in one time zone. A local time is given as the milliseconds of the same reading in UTC. */
export interface Zone {
  readonly name: string;
  /** Local time minus UTC. */
  offsetAt(at: number): number;
  /** The first change of the offset after one time and not after the other. */
  nextChange(after: number, until: number): OffsetChange | undefined;
  /** When the clocks there show this. */
  resolve(local: number): LocalTime;
}

export interface OffsetChange {
  readonly at: number;
  /** From then on. */
  readonly offsetMs: number;
}

/**
 * - `plain`: they show it once
 * - `repeated`: twice, as clocks were set back; this is the first time
 * - `skipped`: never, as clocks were set forward; this is the first moment after that
 */
export interface LocalTime {
  readonly at: number;
  readonly kind: "plain" | "repeated" | "skipped";
}

const dayMs = 86_400_000;
/** No two changes of a zone are nearer to each other than that. */
const scanMs = 3 * dayMs;
/** More than any offset, and any change of one. */
const marginMs = 26 * 3_600_000;

const known = new Map<string, Zone>();

/** Throws JOB_INVALID for a zone that there is not. */
export function openZone(name: string): Zone {
  let zone = known.get(name);
  if (!zone) {
    zone = createZone(name);
    known.set(name, zone);
  }
  return zone;
}

/** The names of three letters that IANA has. Of others ICU has a meaning of its own: BST is Dhaka, AST is Anchorage. */
const shortNames = new Set("cet eet est gmt hst met mst prc roc rok uct utc wet".split(" "));

/** Throws JOB_INVALID for a zone that nobody should name: there is none, or many mean another one by it. */
export function checkZone(name: string): void {
  if (/^[a-z]{3}$/i.test(name) && !shortNames.has(name.toLowerCase())) throw noZone(name);
  openZone(name);
}

function createZone(name: string): Zone {
  const format = createFormat(name);
  /** Found so far, of the times from the first to the second. */
  const changes: OffsetChange[] = [];
  let scannedFrom = Number.NaN;
  let scannedTo = Number.NaN;

  function offsetAt(at: number): number {
    const fields: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) fields[type] = Number(value);
    const { year, month, day, hour, minute, second } = fields as Record<(typeof parts)[number], number>;
    // A whole second: the rest is the same everywhere.
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  }

  function bisect(from: number, to: number): OffsetChange {
    const before = offsetAt(from);
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return { at: high * 1000, offsetMs: offsetAt(high * 1000) };
  }

  function scan(from: number, until: number): void {
    if (!(from >= scannedFrom && from <= scannedTo)) {
      changes.length = 0;
      scannedFrom = scannedTo = from;
    }
    while (scannedTo < until) {
      const next = scannedTo + scanMs;
      if (offsetAt(scannedTo) !== offsetAt(next)) changes.push(bisect(scannedTo, next));
      scannedTo = next;
    }
  }

  function nextChange(after: number, until: number): OffsetChange | undefined {
    scan(after, until);
    return changes.find(({ at }) => at > after && at <= until);
  }

  return {
    name,
    offsetAt,
    nextChange,
    resolve(local) {
      const offsets = new Set([offsetAt(local - marginMs), offsetAt(local + marginMs)]);
      const found = [...offsets]
        .filter((offset) => offsetAt(local - offset) === offset)
        .map((offset) => local - offset);
      if (found.length > 0) return { at: Math.min(...found), kind: found.length > 1 ? "repeated" : "plain" };
      return { at: bisect(local - marginMs, local + marginMs).at, kind: "skipped" };
    },
  };
}

const parts = ["year", "month", "day", "hour", "minute", "second"] as const;

function createFormat(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      ...Object.fromEntries(parts.map((part) => [part, "numeric"])),
    });
  } catch (thrown) {
    throw noZone(name, { cause: thrown });
  }
}

function noZone(name: string, options?: ErrorOptions): RuntimeError {
  return new RuntimeError("JOB_INVALID", `There is no time zone "${name}": ${hintAt(name)}`, options);
}

function hintAt(name: string): string {
  const [, sign, hours, minutes = "00"] = /^(?:utc|gmt)?\s*([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name.trim()) ?? [];
  if (hours !== undefined && Number(hours) < 24)
    return `for a fixed offset write ${sign}${hours.padStart(2, "0")}:${minutes}.`;
  if (/^[a-z]{3,4}$/i.test(name))
    return "an abbreviation has several meanings; take a place, such as Europe/London, or UTC.";
  const near = nearest(name.trim(), Intl.supportedValuesOf("timeZone"));
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : "take one such as Europe/Berlin or UTC.";
}
