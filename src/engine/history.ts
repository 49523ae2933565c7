import type { Execution } from "../core/call.ts";

/** The last finished executions, for quick answers; the store keeps them all. */
export interface History {
  add(execution: Execution): void;
  get(id: string): Execution | undefined;
  /** Newest first. */
  last(limit: number): Execution[];
}

/**
 * A ring. Not a Map: one that is always added to and removed from is rebuilt all the time, and each old table keeps the
 * next one, and so every record that ever went through it, from the young collector.
 */
export function createHistory(capacity = 100): History {
  const ring: Execution[] = [];
  let next = 0;
  return {
    add(execution) {
      ring[next] = execution;
      next = (next + 1) % capacity;
    },
    get: (id) => ring.find((execution) => execution.id === id),
    last: (limit) => (limit > 0 ? [...ring.slice(next), ...ring.slice(0, next)].slice(-limit).reverse() : []),
  };
}
