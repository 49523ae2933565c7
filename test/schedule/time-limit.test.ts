import assert from "node:assert/strict";
import { test } from "node:test";
import { startLimit } from "../../src/schedule/time-limit.ts";
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

test("a time limit that has ended is never over, also when it stood still at its end [D1]", async () => {
  const clock = createTimeMachine(0);
  const limit = startLimit(clock, 1000, () => assert.fail("it has ended"));
  const goOn = limit.standStill();
  limit.end();
  goOn();
  await clock.pass(10_000);
  assert.equal(clock.waiting, 0);
});
