import { mayRetry, type ModelFailure } from "../core/model.ts";

const firstDelayMs = 1000;
const longestDelayMs = 60_000;
/** A server that wants more than this is not waited for: the person may have better to do. */
const mostPatienceMs = 10 * 60_000;

/** A host that is not there now is hardly there in a minute. */
export function mostAttempts({ kind, maxAttempts: own }: ModelFailure, maxAttempts: number): number {
  return Math.min(own ?? Infinity, kind === "unreachable" ? 4 : Infinity, maxAttempts);
}

export interface Attempt {
  /** How many requests were sent by now. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** 0 to 1; many programs that failed together must not come back together. */
  readonly random: () => number;
}

/** How long to wait before the same request is sent again; null when that makes no sense. */
export function retryDelay(failure: ModelFailure, { attempt, maxAttempts, random }: Attempt): number | null {
  if (!mayRetry(failure) || attempt >= mostAttempts(failure, maxAttempts)) return null;
  const { retryAfterMs } = failure;
  if (retryAfterMs !== null) return retryAfterMs > mostPatienceMs ? null : retryAfterMs + random() * 250;
  const backoff = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return backoff * (0.75 + random() * 0.5);
}

/** Why a server that wants a longer wait is not waited for; null when that is not the reason. */
export function tellImpatience(failure: ModelFailure): string | null {
  const { retryAfterMs } = failure;
  if (!mayRetry(failure) || retryAfterMs === null || retryAfterMs <= mostPatienceMs) return null;
  return `It asked to wait ${tellWait(retryAfterMs)}, and ${tellWait(mostPatienceMs)} is the limit; try again later.`;
}

function tellWait(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000);
  if (minutes <= 120) return `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  if (hours <= 48) return `${hours} hours`;
  const days = Math.ceil(hours / 24);
  return days <= 365 ? `${days} days` : "more than a year";
}
