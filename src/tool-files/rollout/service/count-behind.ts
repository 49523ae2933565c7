import type { Clock } from "../../../core/clock.ts";
import type { RolloutStore, RolloutTransaction } from "../../../core/rollout-store.ts";

/** What is worth counting and worth no waiting: many at once, a little later. */
export interface CountBehind {
  /** Done at the latest 20 ms later, with others. */
  add(count: Count): void;
  /** Whatever waits, as the first part of somebody's transaction. It is done if that is. */
  take(): Count;
  /** Resolves when nothing waits. Never rejects. */
  flush(): Promise<void>;
}

export type Count = (transaction: RolloutTransaction) => void;

const delayMs = 20;
const mostWaiting = 200;

export function createCountBehind(options: {
  readonly store: RolloutStore;
  readonly clock: Clock;
  readonly onFailed: (thrown: unknown) => void;
}): CountBehind {
  const { store, clock } = options;
  let waiting: Count[] = [];
  let cancelTimer: (() => void) | undefined;

  function take(): Count {
    const taken = waiting;
    waiting = [];
    cancelTimer?.();
    cancelTimer = undefined;
    return (transaction) => {
      for (const count of taken) count(transaction);
    };
  }

  async function flush(): Promise<void> {
    if (waiting.length > 0) await store.change(take()).catch(options.onFailed);
  }

  return {
    take,
    flush,
    add(count) {
      waiting.push(count);
      if (waiting.length >= mostWaiting) void flush();
      else cancelTimer ??= clock.after(delayMs, () => void flush());
    },
  };
}
