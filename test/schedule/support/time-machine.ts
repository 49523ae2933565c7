import type { Clock } from "../../../src/core/clock.ts";

/** A clock that goes from one timer to the next as soon as nothing else is to be done, so that a year takes seconds. */
export interface TimeMachine extends Clock {
  /** Goes on for so long; each timer on the way is called in its turn, and what it began is done before the next. */
  pass(ms: number): Promise<void>;
  /** The wall clock is set, forward or back; no time passes. */
  set(byMs: number): void;
  /** The machine sleeps: the wall clock goes on, timers and the time that passes do not. */
  sleep(ms: number): void;
  /** The clock of one process: when that is killed, its timers are never called. */
  fork(): { readonly clock: Clock; readonly kill: () => void };
  readonly waiting: number;
}

/** Only for what waits for nothing but timers of this clock: no files, no processes. */
export function createTimeMachine(startAt: number): TimeMachine {
  let elapsed = 0;
  let wall = startAt;
  let order = 0;
  const timers = new Map<number, { readonly due: number; readonly callback: () => void }>();
  const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  function findNext(until: number): [number, { readonly due: number; readonly callback: () => void }] | undefined {
    let next: [number, { readonly due: number; readonly callback: () => void }] | undefined;
    for (const entry of timers) if (entry[1].due <= until && (!next || entry[1].due < next[1].due)) next = entry;
    return next;
  }

  function moveTo(time: number): void {
    wall += time - elapsed;
    elapsed = time;
  }

  const machine: TimeMachine = {
    now: () => wall,
    monotonic: () => elapsed,
    after(delayMs, callback) {
      const key = order++;
      timers.set(key, { due: elapsed + Math.max(0, delayMs), callback });
      return () => void timers.delete(key);
    },
    async pass(ms) {
      const until = elapsed + ms;
      await settle();
      for (let next = findNext(until); next; next = findNext(until)) {
        timers.delete(next[0]);
        moveTo(Math.max(elapsed, next[1].due));
        next[1].callback();
        await settle();
      }
      moveTo(until);
    },
    set: (byMs) => void (wall += byMs),
    sleep: (ms) => void (wall += ms),
    fork() {
      const own = new Set<number>();
      let isDead = false;
      const after: Clock["after"] = (delayMs, callback) => {
        if (isDead) return () => {};
        own.add(order);
        return machine.after(delayMs, callback);
      };
      const kill = (): void => {
        isDead = true;
        for (const key of own) timers.delete(key);
      };
      return { clock: { now: () => wall, monotonic: () => elapsed, after }, kill };
    },
    get waiting() {
      return timers.size;
    },
  };
  return machine;
}
