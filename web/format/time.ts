import { formatAge, formatDuration } from "../../src/core/time.ts";

/** How long it has taken so far, in whole seconds: it must not flicker. */
export function formatElapsed(elapsedMs: number): string {
  return elapsedMs < 1000 ? "0 s" : formatDuration(Math.floor(elapsedMs / 1000) * 1000);
}

/** `just now`, `12 s ago`, `in 3 min`: one unit, either way. */
export function formatDistance(time: number, now: number): string {
  const distanceMs = Math.abs(now - time);
  if (distanceMs < 2000) return "just now";
  return time > now ? `in ${formatAge(distanceMs)}` : `${formatAge(distanceMs)} ago`;
}

/** `14:03:07`, in the reader's own zone and way of writing it. */
export function formatClock(time: number): string {
  return clock.format(time);
}

/** `14:03:07` of today; of another day with that: `9 Nov, 14:03:07`. */
export function formatWhen(time: number, now = Date.now()): string {
  return isSameDay(time, now) ? formatClock(time) : dayAndClock.format(time);
}

export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** The whole of it, for those who want to know exactly: `Mon, 16 Nov 2026, 14:03:07 GMT+1`. */
export function formatMoment(time: number): string {
  return moment.format(time);
}

const clockParts = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const dayParts = { ...clockParts, day: "numeric", month: "short" } as const;
const clock = new Intl.DateTimeFormat(undefined, clockParts);
const dayAndClock = new Intl.DateTimeFormat(undefined, dayParts);
const moment = new Intl.DateTimeFormat(undefined, {
  ...dayParts,
  weekday: "short",
  year: "numeric",
  timeZoneName: "short",
});
