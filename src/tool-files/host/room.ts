export interface Room {
  /** How many stand in the queue. */
  readonly waiting: number;
  /** Resolves when there is a place, in the order of asking. */
  enter(): Promise<void>;
  leave(): void;
}

/** A number of places, and a queue for them. */
export function createRoom(places: number): Room {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    get waiting() {
      return waiting.length;
    },
    enter() {
      if (taken < places) {
        taken += 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
}
