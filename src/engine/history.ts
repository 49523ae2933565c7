import type { Execution } from "../core/execution.ts";

/** The last finished executions, for quick answers; the store keeps them all. */
export interface History {
  add(execution: Execution): void;
  get(id: string): Execution | undefined;
  /** Newest first. */
  last(limit: number): Execution[];
}

export function createHistory(capacity = 100): History {
  const byId = new Map<string, Execution>();
  return {
    add(execution) {
      byId.set(execution.id, execution);
      if (byId.size > capacity) byId.delete(byId.keys().next().value!);
    },
    get: (id) => byId.get(id),
    last: (limit) => (limit > 0 ? [...byId.values()].slice(-limit).reverse() : []),
  };
}
