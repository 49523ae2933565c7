import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { Agent } from "../../src/agent/agent.ts";

/** Real time, of which a test can leave out the waits it knows of. */
export interface SkippingClock extends Clock {
  /** Calls back now what was to come after this delay, rounded; false when nothing was. */
  skip(delayMs: number): boolean;
}

export function createSkippingClock(): SkippingClock {
  const waiting = new Map<() => void, number>();
  return {
    ...systemClock,
    after(delayMs, callback) {
      const cancel = systemClock.after(delayMs, () => act());
      const act = (): void => {
        forget();
        callback();
      };
      const forget = (): void => {
        cancel();
        waiting.delete(act);
      };
      waiting.set(act, Math.round(delayMs));
      return forget;
    },
    skip(delayMs) {
      const found = [...waiting].filter(([, each]) => each === delayMs);
      for (const [act] of found) act();
      return found.length > 0;
    },
  };
}

/** Nobody waits until the agent sends a request again; gives the delays that were left out. */
export function skipRetryDelays(agent: Agent, clock: SkippingClock): readonly number[] {
  const delays: number[] = [];
  agent.on((event) => {
    if (event.type !== "model:retrying") return;
    delays.push(event.delayMs);
    setImmediate(() => clock.skip(event.delayMs));
  });
  return delays;
}
