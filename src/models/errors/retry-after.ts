/** What a server that wants us to wait says about how long, in all the forms that providers use. */
export interface RetryHint {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since the epoch, for answers that give a time of day. */
  readonly now: number;
}

/** Milliseconds to wait; null when it says nothing. */
export function retryAfterMs({ headers, body, now }: RetryHint): number | null {
  const wait =
    positive(headers["retry-after-ms"]) ??
    fromRetryAfter(headers["retry-after"], now) ??
    fromBody(body) ??
    fromResets(headers, now);
  return wait === null ? null : Math.min(wait, Number.MAX_SAFE_INTEGER);
}

function fromRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const seconds = positive(value);
  if (seconds !== null) return seconds * 1000;
  return until(Date.parse(value), now);
}

/** Google's RetryInfo, and the sentence of OpenAI ("Please try again in 1.2s"). */
function fromBody(body: string): number | null {
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1] ?? /try again in ([\dhms.]+s)\b/i.exec(body)?.[1];
  if (delay === undefined) return null;
  return /^[\d.]+$/.test(delay) ? Number(delay) * 1000 : fromDuration(delay);
}

/** The longest of the limits that are used up: all of them must be free again. */
function fromResets(headers: RetryHint["headers"], now: number): number | null {
  const waits = Object.entries(headers).flatMap(([name, value]) => {
    if (!/ratelimit.*reset/.test(name)) return [];
    const left = headers[name.replace("reset", "remaining")];
    if (left !== undefined && Number(left) > 0) return [];
    return [fromReset(value, now)].filter((wait) => wait !== null);
  });
  return waits.length > 0 ? Math.max(...waits) : null;
}

function fromReset(value: string, now: number): number | null {
  const number = positive(value);
  if (number === null) return fromDuration(value) ?? until(Date.parse(value), now);
  // A time since the epoch in milliseconds or seconds, or else seconds to wait.
  if (number > 1e11) return until(number, now);
  return number > 1e8 ? until(number * 1000, now) : number * 1000;
}

/** `6m0s`, `1.2s`, `20ms`. */
function fromDuration(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * units[unit!]!;
  return total;
}

function until(time: number, now: number): number | null {
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}

function positive(text: string | undefined): number | null {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
