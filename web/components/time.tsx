import { useNow } from "../state/clock.ts";
import { formatDuration } from "../../src/core/time.ts";
import { showLine } from "../format/show-controls.ts";
import { formatDistance, formatElapsed, formatMoment, formatWhen } from "../format/time.ts";

/** `3 min ago`, and exactly when on hovering. */
export function Ago({ at }: { readonly at: string }) {
  const now = useNow();
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={formatMoment(time)}>
      {formatDistance(time, now)}
    </time>
  );
}

/** `14:03:07`, with the day where it is not today's, and all of it on hovering. What is no time, as in a line of the log that
 * somebody changed, is shown as it is. */
export function Clock({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <span>{showLine(at)}</span>;
  return (
    <time dateTime={at} title={formatMoment(time)}>
      {formatWhen(time)}
    </time>
  );
}

/**
 * How long something has been under way, and of how long it may be. What waits for a person goes on beyond its limit: then
 * that says nothing.
 */
export function Elapsed({ since, limitMs = null }: { readonly since: string; readonly limitMs?: number | null }) {
  const now = useNow();
  const elapsedMs = Math.max(0, now - Date.parse(since));
  const limit = limitMs === null || elapsedMs > limitMs ? "" : ` of ${formatDuration(limitMs)}`;
  return <span class="number">{formatElapsed(elapsedMs) + limit}</span>;
}
