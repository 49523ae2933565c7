import type { JobTimes } from "../../core/job.ts";
import { openCalendar, type Calendar } from "./calendar.ts";
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
