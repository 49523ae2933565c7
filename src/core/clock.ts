/** Time, handed in so that tests own it. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds that only go forward; for durations and limits. */
  monotonic(): number;
  /** Calls back once after the delay, unless the returned function is called first. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Node fires longer timers at once; nobody waits 24 days for a tool. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, longestTimerMs));
    return () => clearTimeout(timer);
  },
};
