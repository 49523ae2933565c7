import { systemClock } from "../../core/clock.ts";

/** What it resolves to; undefined when that takes longer. It goes on all the same. */
export async function waitAtMost<Value>(work: Promise<Value>, patienceMs: number): Promise<Value | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const stop = systemClock.after(patienceMs, () => resolve(undefined));
  try {
    return await Promise.race([work, over]);
  } finally {
    stop();
  }
}
