import { RuntimeError } from "../../core/errors.ts";
import type { JobTimes } from "../../core/job.ts";
import { openZone, type LocalTime, type Zone } from "./zone.ts";

/** When a job is due. */
export interface Times {
  /** Undefined: never again. */
  next(after: number): DueTime | undefined;
  /** A time from which on about so many are due up to a time; not after that. */
  beginOfLast(until: number, count: number): number;
  /** How many are due after one time and not after the other, where that needs no walk through them. */
  count(after: number, until: number): number | undefined;
}

/** `local` is not `plain` where the clocks of the job's zone are set on that day. */
export interface DueTime {
  readonly at: number;
  readonly local: LocalTime["kind"];
}

/** Throws JOB_INVALID. */
export async function openTimes(when: JobTimes): Promise<Times> {
  if ("cron" in when) {
    const calendar = await openCalendar(when.cron);
    const zone = openZone(when.timeZone);
    return calendar.isHourly ? passingTimes(calendar, zone) : localTimes(calendar, zone);
  }
  return "at" in when ? onceAt(when.at) : everySo(when.everyMs, when.anchorAt);
}

function onceAt(at: number): Times {
  return {
    next: (after) => (after < at ? { at, local: "plain" } : undefined),
    beginOfLast: (until) => Math.min(until, at - 1),
    count: (after, until) => (after < at && at <= until ? 1 : 0),
  };
}

function everySo(everyMs: number, anchorAt: number): Times {
  const countUntil = (until: number): number => Math.max(0, Math.floor((until - anchorAt) / everyMs) + 1);
  return {
    next: (after) => ({ at: anchorAt + countUntil(after) * everyMs, local: "plain" }),
    beginOfLast: (until, count) => until - count * everyMs,
    count: (after, until) => countUntil(until) - countUntil(after),
  };
}

/**
 * Times of the day: each comes once a day. One that clocks leave out when they are set forward comes at the first moment after
 * that; of one that they show twice it is the first.
 */
function localTimes(calendar: Calendar, zone: Zone): Times {
  return {
    next(after) {
      let local = calendar.next(after + zone.offsetAt(after));
      while (local !== undefined) {
        const due = zone.resolve(local);
        if (due.at > after) return { at: due.at, local: due.kind };
        // Clocks were set back in between, and all that they showed by then had its turn.
        const change = zone.nextChange(due.at, after);
        local = calendar.next(change ? Math.max(local, change.at + (local - due.at) - 1) : local);
      }
      return undefined;
    },
    beginOfLast: (until, count) => beginOf(calendar, zone, { until, count }),
    count: () => undefined,
  };
}

/** Times of the hour: they come whenever clocks show them, so that one follows the other as on any day. */
function passingTimes(calendar: Calendar, zone: Zone): Times {
  return {
    next(after) {
      let offset = zone.offsetAt(after);
      let from = after;
      for (;;) {
        const local = calendar.next(from + offset);
        if (local === undefined) return undefined;
        const change = zone.nextChange(from, local - offset);
        if (!change) return { at: local - offset, local: "plain" };
        ({ at: from, offsetMs: offset } = change);
        if (calendar.next(from + offset - 1) === from + offset) return { at: from, local: "plain" };
      }
    },
    beginOfLast: (until, count) => beginOf(calendar, zone, { until, count }),
    count: () => undefined,
  };
}

function beginOf(calendar: Calendar, zone: Zone, last: { readonly until: number; readonly count: number }): number {
  const locals = calendar.previous(last.until + zone.offsetAt(last.until), last.count);
  const first = locals.at(-1);
  return first === undefined ? last.until : Math.min(last.until, zone.resolve(first).at - 1);
}

/** The local times that a cron pattern names, whether a zone has them or not; each as the milliseconds of that reading in UTC. */
interface Calendar {
  /** Whether each hour of the day has its times. */
  readonly isHourly: boolean;
  /** Undefined: none is left. */
  next(after: number): number | undefined;
  /** The latest ones up to a time, latest first. */
  previous(until: number, count: number): number[];
}

/** Throws JOB_INVALID with a sentence that names the field that is wrong. */
async function openCalendar(cron: string): Promise<Calendar> {
  const { Cron, CronPattern } = await import("croner");
  const fields = checkFields(cron, (pattern) => void new CronPattern(pattern));
  const pattern = fields.join(" ");
  const calendar = new Cron(pattern, { paused: true, utcOffset: 0 });
  if (calendar.nextRun(new Date(0)) === null) {
    throw new RuntimeError(
      "JOB_INVALID",
      `The cron "${cron}" never comes: no year has such a date (30 February, 31 April). Correct the day or the month; "L" is the last day of a month.`,
    );
  }
  return {
    isHourly: new CronPattern(pattern).hour.every(Boolean),
    next: (after) => calendar.nextRun(new Date(after))?.getTime(),
    previous: (until, count) => calendar.previousRuns(count, new Date(until + 1000)).map((date) => date.getTime()),
  };
}

interface Field {
  readonly name: string;
  readonly form: string;
  readonly example: string;
  readonly allowed: RegExp;
  readonly range: CronRange;
  /** "?" says that the other of the two days counts, as "*" does. */
  readonly isDay?: true;
}

const digits = /^[\d*,/-]+$/;
const sixty = { form: "0-59", example: "*/5", allowed: digits } as const;
const seconds: Field = { ...sixty, name: "second", range: { first: 0, last: 59, unit: "s" } };
const five: readonly Field[] = [
  { ...sixty, name: "minute", range: { first: 0, last: 59, unit: "m" } },
  { name: "hour", form: "0-23", example: "*/5", allowed: digits, range: { first: 0, last: 23, unit: "h" } },
  {
    name: "day of the month",
    form: "1-31, L for the last, 15W for the working day nearest to it",
    example: "1,6",
    allowed: /^[\d*,/LW-]+$/i,
    range: { first: 1, last: 31 },
    isDay: true,
  },
  {
    name: "month",
    form: "1-12 or JAN-DEC",
    example: "1,6",
    allowed: /^[\d*,/A-Z-]+$/i,
    range: { first: 1, last: 12, names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ") },
  },
  {
    name: "day of the week",
    form: "0-7 or SUN-SAT (0 and 7 are Sunday), 5#2 for the second Friday, 5L for the last",
    example: "1-5",
    allowed: /^[\d*,/#A-Z-]+$/i,
    range: { first: 0, last: 6, names: "SUN MON TUE WED THU FRI SAT".split(" ") },
    isDay: true,
  },
];

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** The five or six fields of a cron text. Throws JOB_INVALID; `parse` throws for a pattern that it can't read. */
function checkFields(cron: string, parse: (pattern: string) => void): string[] {
  const text = cron.trim();
  const written = text.startsWith("@") ? readNickname(text) : text.split(/\s+/);
  if (text === "" || written.length < 5 || written.length > 6) throw wrongCount(cron, text === "" ? 0 : written.length);
  const fields = written.length === 6 ? [seconds, ...five] : five;
  const given = written.map((value, index) => (value === "?" && fields[index]!.isDay ? "*" : value));
  for (const [index, field] of fields.entries()) {
    const value = given[index]!;
    if (field.allowed.test(value) && isReadable(given.map((_, at) => (at === index ? value : "*")).join(" "), parse))
      continue;
    throw new RuntimeError("JOB_INVALID", describeWrong(cron, field, value));
  }
  return given;
}

function isReadable(pattern: string, parse: (pattern: string) => void): boolean {
  try {
    parse(pattern);
    return true;
  } catch {
    return false;
  }
}

function readNickname(text: string): string[] {
  const pattern = nicknames[text.toLowerCase()];
  if (pattern !== undefined) return pattern.split(" ");
  throw new RuntimeError(
    "JOB_INVALID",
    `There is no cron "${text}": expected @hourly, @daily, @weekly, @monthly, @yearly, or five fields such as "0 9 * * 1-5".`,
  );
}

function wrongCount(cron: string, count: number): RuntimeError {
  const got = count === 1 ? "one" : String(count);
  return new RuntimeError(
    "JOB_INVALID",
    `The cron "${cron}" has ${got} field${count === 1 ? "" : "s"}: expected five, minute hour day-of-month month day-of-week, or six with the second first; "0 9 * * 1-5" is 9:00 from Monday to Friday.`,
  );
}

function describeWrong(cron: string, { name, form, example, range }: Field, value: string): string {
  const expected = `expected ${form}, a list (1,3), a range (1-5), a step (*/2, 1-5/2) or *; for example "${example}".`;
  return `The ${name} field "${value}" of the cron "${cron}" is wrong: ${expected}${hintAt(value, range)}`;
}

/** What a number or a name in one field of a cron may be. */
interface CronRange {
  readonly first: number;
  readonly last: number;
  /** Beside numbers, from the first on. */
  readonly names?: readonly string[];
  /** How an interval is written whose steps this field counts. */
  readonly unit?: "s" | "m" | "h";
}

/** How to write what somebody has likely meant by a field that can't be read; empty where nobody can tell. */
function hintAt(value: string, range: CronRange): string {
  for (const part of value.split(",")) {
    const hint = hints.map((find) => find(part, range)).find((found) => found !== undefined);
    if (hint !== undefined) return ` ${hint}`;
  }
  return "";
}

type FindHint = (part: string, range: CronRange) => string | undefined;

const hints: readonly FindHint[] = [
  function turnedRange(part, { first, last, names = [] }) {
    const [, from = "", to = ""] = /^(\w+)-(\w+)$/.exec(part) ?? [];
    const [begin, end] = [from, to].map((word) => (/^\d+$/.test(word) ? Number(word) : numberOf(word, first, names)));
    if (begin === undefined || end === undefined || begin <= end || begin > last || end < first) return undefined;
    const isNamed = !/^\d/.test(from) && !/^\d/.test(to);
    const [lowest, highest] = isNamed ? [names[0], names.at(-1)] : [first, last];
    const [upTo, onFrom] = [begin === last ? from : `${from}-${highest}`, end === first ? to : `${lowest}-${to}`];
    return `A range that goes past the end is two: ${upTo},${onFrom}.`;
  },
  function stepFromOneOn(part, { first, last }) {
    const [, from = "", step = ""] = /^(\d{1,2})\/(\d{1,2})$/.exec(part) ?? [];
    if (from === "" || Number(step) === 0 || Number(from) < first || Number(from) > last) return undefined;
    const all = Number(from) === first ? `*/${step}` : `${from}-${last}/${step}`;
    return `A step begins with a range: ${all}.`;
  },
  function stepPastTheEnd(part, { last, unit }) {
    const [, step = ""] = /^\*\/(\d{1,6})$/.exec(part) ?? [];
    if (unit === undefined || Number(step) <= last + 1) return undefined;
    return `A step counts within the field: write every "${step}${unit}" instead of a cron.`;
  },
  function wholeName(part, { names = [] }) {
    const short = part.slice(0, 3).toUpperCase();
    return part.length > 3 && /^[a-z]+$/i.test(part) && names.includes(short)
      ? `Names are short: ${short}.`
      : undefined;
  },
];

function numberOf(word: string, first: number, names: readonly string[]): number | undefined {
  const index = names.indexOf(word.toUpperCase());
  return index < 0 ? undefined : index + first;
}

export type TimesOf = (when: JobTimes) => Promise<Times>;

/** `openTimes`, but each only once. */
export function rememberTimes(open: TimesOf = openTimes): TimesOf {
  const remembered = new Map<string, Promise<Times>>();
  return (when) => {
    const key = JSON.stringify(when);
    let times = remembered.get(key);
    if (!times) {
      // Jobs come and go: those that are in use are soon there again.
      if (remembered.size >= 1000) remembered.clear();
      times = open(when);
      remembered.set(key, times);
      // What failed may not fail again.
      times.catch(() => remembered.delete(key));
    }
    return times;
  };
}
