/** At most `limit` holders at once; first come, first served. */
export interface Slots {
  /** Takes a free slot at once, or says no. */
  tryTake(): boolean;
  /** Calls back when a slot was taken for the caller. The returned function gives up waiting; after the callback it does nothing. */
  wait(granted: () => void): () => void;
  /** Every slot that was taken is released exactly once. */
  release(): void;
  readonly free: number;
}

export function createSlots(limit: number): Slots {
  let free = limit;
  // A Set keeps arrival order and forgets one that gave up without a search.
  const waiting = new Set<() => void>();

  return {
    tryTake() {
      if (free === 0 || waiting.size > 0) return false;
      free -= 1;
      return true;
    },
    wait(granted) {
      const waiter = (): void => granted();
      if (free > 0 && waiting.size === 0) {
        free -= 1;
        granted();
        return () => undefined;
      }
      waiting.add(waiter);
      return () => void waiting.delete(waiter);
    },
    release() {
      for (const next of waiting) {
        waiting.delete(next);
        next();
        return;
      }
      free += 1;
    },
    get free() {
      return free;
    },
  };
}
