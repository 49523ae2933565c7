import type { Clock } from "../../core/clock.ts";
import { isBusy } from "../store-error.ts";

/** How long an operation goes on trying while others hold the write lock. */
const patienceMs = 5000;
const firstPauseMs = 2;
const longestPauseMs = 100;

/**
 * Tries until nobody else is in the way, with pauses in which the event loop runs; in the end throws the last SQLITE_BUSY.
 * `since`: when the caller began to wait, for one that first had to stand in a queue.
 */
export async function retryBusy<Result>(clock: Clock, attempt: () => Result, since: number): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || clock.monotonic() - since > patienceMs) throw thrown;
    }
    // Two that collided once would collide again if both paused equally long.
    const jitteredMs = pauseMs * (0.5 + Math.random());
    await new Promise<void>((resolve) => void clock.after(jitteredMs, resolve));
  }
}
