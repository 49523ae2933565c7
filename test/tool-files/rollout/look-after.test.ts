import assert from "node:assert/strict";
import { test } from "node:test";
import { lookAfterRollouts } from "../../../src/tool-files/rollout/service/rollout-orders.ts";
import { openReleaseBench } from "./release-bench.ts";

const day = 24 * 60 * 60_000;

test("a trial that is too old is told to need a person, once, while no call comes [V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.observe({});
  await bench.orders.lookAfter();
  const before = bench.types();
  bench.clock.advance(14 * day);
  await bench.orders.lookAfter();
  assert.deepEqual(bench.types(), before);
  bench.clock.advance(1);
  await bench.orders.lookAfter();
  await bench.orders.lookAfter();
  assert.deepEqual(bench.types(), [...before, "inconclusive by rule"]);
  const { status, lanes } = bench.release().rollout!;
  assert.deepEqual([status, lanes.live.percent, lanes.live.last?.cause], ["running", 10, "age"]);
});

test("scheduled runs that were enough wait for a person as soon as the day is over, not at the next run [V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  for (let run = 0; run < 3; run++) await bench.observe({ lane: "scheduled", conversationId: `job ${run}` });
  assert.notEqual(bench.release().rollout?.lanes.scheduled.last?.cause, "approval");
  bench.clock.advance(day);
  await bench.orders.lookAfter();
  assert.equal(bench.release().rollout?.lanes.scheduled.last?.cause, "approval");
  assert.equal(bench.types().at(-1), "approval_needed by rule");
});

test("time alone takes no step: counts that were judged are not judged again at the next stage [V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  const share = (): number => bench.release().rollout!.lanes.live.percent;
  let owed = 0;
  for (let call = 0; share() < 60 && call < 5000; call++) {
    owed += share() / 100;
    const route = owed >= 1 ? "canary" : "stable";
    if (route === "canary") owed -= 1;
    await bench.observe({ route, conversationId: `${route} ${call}` });
    const before = share();
    bench.clock.advance(1000);
    await bench.orders.lookAfter();
    assert.equal(share(), before);
  }
  assert.equal(share(), 60);
});

test("what another process left undone is done for each tool that is known [V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.introduce("cc", { tool: "sing", fileName: "sing.js", against: null });
  const prepared: string[] = [];
  await lookAfterRollouts({ ...bench, prepareFor: async (tool) => void prepared.push(tool) });
  assert.deepEqual(prepared.toSorted(), ["say", "sing"]);
});
