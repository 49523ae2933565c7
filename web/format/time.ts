import { formatAge, formatDuration } from "../../src/core/format-time.ts";

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

/** The whole of it, for those who want to know exactly: `Mon, 16 Nov 2026, 14:03:07 GMT+1`. */
export function formatMoment(time: number): string {
  return moment.format(time);
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const moment = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
  hourCycle: "h23",
});
