import { mayRetry, type ModelFailure } from "../core/model.ts";

const firstDelayMs = 1000;
const longestDelayMs = 60_000;
/** A server that wants more than this is not waited for: the person may have better to do. */
const mostPatienceMs = 10 * 60_000;

/** A host that is not there now is hardly there in a minute. */
export function mostAttempts({ kind }: ModelFailure, maxAttempts: number): number {
  return kind === "unreachable" ? Math.min(4, maxAttempts) : maxAttempts;
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
