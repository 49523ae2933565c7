/** A duration for people: `3 ms`, `1.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1) return "<1 ms";
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_950) return `${Number((durationMs / 1000).toFixed(1))} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 3600) return join([Math.floor(seconds / 60), "min"], [seconds % 60, "s"]);
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return join([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
  const hours = Math.round(minutes / 60);
  return join([Math.floor(hours / 24), "d"], [hours % 24, "h"]);
}

/** How long it has taken so far, in whole seconds: it must not flicker. */
export function formatElapsed(elapsedMs: number): string {
  return elapsedMs < 1000 ? "0 s" : formatDuration(Math.floor(elapsedMs / 1000) * 1000);
}

/** `just now`, `12 s ago`, `in 3 min`: one unit, either way. */
export function formatDistance(time: number, now: number): string {
  const seconds = Math.floor(Math.abs(now - time) / 1000);
  if (seconds < 2) return "just now";
  const amount = inOneUnit(seconds);
  return time > now ? `in ${amount}` : `${amount} ago`;
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

function inOneUnit(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function join([large, largeUnit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
