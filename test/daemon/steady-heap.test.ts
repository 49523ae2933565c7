import assert from "node:assert/strict";
import { test } from "node:test";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { keepHeapSteady } from "../../src/daemon/open-services.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { until } from "../support/runtime.ts";

interface Global {
  gc?: (options?: object) => unknown;
}

const used = (): number => getHeapStatistics().used_heap_size;

test("what requests left is collected once it has become much, and not before [D2]", async (t) => {
  const world = globalThis as Global;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NonNullable<Global["gc"]>;
  let times = 0;
  world.gc = (options) => {
    times += 1;
    return collect(options);
  };
  t.after(() => delete world.gc);
  collect();
  const clock = createManualClock();
  const leave = keepHeapSteady(clock);
  clock.advance(2000);
  await new Promise(setImmediate);
  assert.equal(times, 0);

  let rubbish: object[] | undefined = Array.from({ length: 400_000 }, (_, at) => ({ at, text: `${at}` }));
  const full = used();
  assert.equal(rubbish.length, 400_000);
  rubbish = undefined;
  await until("it is collected", () => {
    clock.advance(2000);
    return times > 0 && used() < full - 10_000_000;
  });
  leave();
  const before = times;
  rubbish = Array.from({ length: 400_000 }, (_, at) => ({ at, text: `${at}` }));
  clock.advance(10_000);
  await new Promise(setImmediate);
  assert.equal(times, before);
  assert.equal(rubbish.length, 400_000);
});
