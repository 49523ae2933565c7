import type { Clock } from "../../core/clock.ts";

export function wait(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve));
}

/** True when the promise settled in time. Leaves no timer behind. */
export async function settlesWithin(clock: Clock, promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let cancel: (() => void) | undefined;
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(false));
  });
  try {
    return await Promise.race([promise.then(yes, yes), late]);
  } finally {
    cancel?.();
  }
}

const yes = (): boolean => true;
