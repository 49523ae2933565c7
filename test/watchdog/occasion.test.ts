import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { createOccasion, waitFor, type WhenItHappens } from "../../src/watchdog/restart-reason.ts";

/** Counts who waits. */
function watched(when: WhenItHappens): { readonly when: WhenItHappens; waiting(): number } {
  const waiting = new Set<() => void>();
  return {
    waiting: () => waiting.size,
    when(listener) {
      waiting.add(listener);
      const forget = when(listener);
      return () => {
        waiting.delete(listener);
        forget();
      };
    },
  };
}

test("waiting for what has not happened yet leaves nobody behind, however often [D3]", async () => {
  const order = createOccasion();
  const counted = watched(order.when);
  const clock: Clock = { ...systemClock, after: (_, callback) => systemClock.after(0, callback) };
  for (let tick = 0; tick < 500; tick++) await waitFor(clock, 500, [counted.when]);
  assert.equal(counted.waiting(), 0);
});

test("what happens ends the wait at once, takes the timer away, and is remembered [D3]", async () => {
  const [one, other] = [createOccasion(), createOccasion()];
  const cancelled: number[] = [];
  const clock: Clock = { ...systemClock, after: (delayMs) => () => void cancelled.push(delayMs) };
  const waited = waitFor(clock, 1000, [one.when, other.when]);
  other.happen();
  await waited;
  await waitFor(clock, 2000, [other.when]);
  assert.deepEqual(cancelled, [1000, 2000]);
  let calls = 0;
  const forget = one.when(() => calls++);
  forget();
  one.happen();
  assert.equal(calls, 0);
});
