/**
 * Ids in the order of their coming, for taking the oldest again and again. A Map alone would do it, but walks over all
 * that was deleted at its front, each time.
 */
export interface OldestFirst {
  add(id: string): void;
  take(): string | undefined;
  readonly size: number;
}

export function createOldestFirst(): OldestFirst {
  let ids: string[] = [];
  let next = 0;
  return {
    add: (id) => void ids.push(id),
    take() {
      if (next === ids.length) return undefined;
      const id = ids[next++];
      if (next >= 1024 && next * 2 >= ids.length) {
        ids = ids.slice(next);
        next = 0;
      }
      return id;
    },
    get size() {
      return ids.length - next;
    },
  };
}
