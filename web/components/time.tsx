import { useNow } from "../state/clock.ts";
import { formatClock, formatDistance, formatElapsed, formatMoment } from "../format/time.ts";

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

/** `14:03:07`, and the day on hovering. */
export function Clock({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={formatMoment(time)}>
      {formatClock(time)}
    </time>
  );
}

/** How long something has been under way. */
export function Elapsed({ since }: { readonly since: string }) {
  const now = useNow();
  return <span class="number">{formatElapsed(Math.max(0, now - Date.parse(since)))}</span>;
}
