import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/core/clock.ts";
import { startLimit } from "../../src/schedule/runs/execute-run.ts";
import { createTimeMachine } from "./support/time-machine.ts";

test("a time limit is over when its time has passed, not counting when it stood still [D1]", async () => {
  const clock = createTimeMachine(0);
  let isOver = false;
  const limit = startLimit(clock, 10_000, () => void (isOver = true));
  await clock.pass(4000);
  const goOn = [limit.standStill(), limit.standStill()];
  await clock.pass(86_400_000);
  goOn[0]!();
  goOn[0]!();
  await clock.pass(86_400_000);
  assert.equal(isOver, false);
  goOn[1]!();
  await clock.pass(5999);
  assert.equal(isOver, false);
  await clock.pass(1);
  assert.equal(isOver, true);
});

test("a time limit that is longer than any timer is over at its time, not when the timer is [D1]", async () => {
  const dayMs = 86_400_000;
  const machine = createTimeMachine(0);
  const after: Clock["after"] = (delayMs, callback) => machine.after(Math.min(delayMs, 2 ** 31 - 1), callback);
  let isOver = false;
  const limit = startLimit({ ...machine, after }, 31 * dayMs, () => void (isOver = true));
  await machine.pass(25 * dayMs);
  const goOn = limit.standStill();
  await machine.pass(100 * dayMs);
  goOn();
  await machine.pass(6 * dayMs - 1);
  assert.equal(isOver, false);
  await machine.pass(1);
  assert.deepEqual([isOver, machine.waiting], [true, 0]);
});

test("a time limit that has ended is never over, also when it stood still at its end [D1]", async () => {
  const clock = createTimeMachine(0);
  const limit = startLimit(clock, 1000, () => assert.fail("it has ended"));
  const goOn = limit.standStill();
  limit.end();
  goOn();
  await clock.pass(10_000);
  assert.equal(clock.waiting, 0);
});
