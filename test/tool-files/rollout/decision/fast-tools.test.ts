import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assess,
  createRolloutState,
  observeCall,
  rolloutPolicy,
  type Assessment,
  type LatencyAllowance,
} from "../../../../src/tool-files/rollout/rollout.ts";
import { createRandom } from "../simulator/random.ts";

const policy = rolloutPolicy("live", "low");

/** Half of the calls on each; the canary takes so much longer. */
function play(
  stableMs: number,
  longerMs: number,
  { calls = 800, latency = policy.limits.latency }: { calls?: number; latency?: LatencyAllowance } = {},
): Assessment {
  const random = createRandom(7);
  const history = { calls: 100, failures: 0, discordant: 0 };
  const state = createRolloutState({ now: 0, percent: 50, history, latency });
  for (let call = 0; call < calls; call++) {
    const arm = call % 2 === 0 ? "canary" : "stable";
    const latencyMs = stableMs * Math.exp(0.3 * random.normal()) + (arm === "canary" ? longerMs : 0);
    observeCall(state, { arm, outcome: "ok", latencyMs, position: "first" });
  }
  return assess({ state, policy, now: 1000, look: "now" });
}

test("a few milliseconds more are no reason against a fast tool [V4]", () => {
  assert.equal(play(3, 2).verdict, "advance");
});

test("what a person would notice is [V4]", () => {
  const { verdict, cause } = play(300, 300);
  assert.deepEqual([verdict, cause], ["rollback", "slower"]);
});

test("2 to 9 ms, and 20 to 40 ms, are too slow; the sentence has both p95, the limit and its allowance [V4 V11]", () => {
  for (const [stableMs, longerMs] of [
    [2, 7],
    [20, 20],
  ] as const) {
    const { verdict, cause, evidence } = play(stableMs, longerMs);
    assert.deepEqual([verdict, cause], ["rollback", "slower"]);
    assert.ok(evidence.tail.aboveLimit > 0.4, `${evidence.tail.aboveLimit}`);
  }
  assert.match(
    play(20, 20).reason,
    /^rolled back: p95 5\d ms, stable 3\d ms; \d+ % of 400 canary calls were slower than stable's p95 at the same time, where 5 % is usual \(up to 5 ms more does not count\)$/,
  );
});

test("by how much it may be slower is a setting, as a part and in milliseconds [V4]", () => {
  const allowing = (share: number, milliseconds: number) => play(20, 20, { latency: { share, milliseconds } }).verdict;
  assert.deepEqual([allowing(0.2, 30), allowing(4, 0), allowing(0.2, 0)], ["advance", "advance", "rollback"]);
});
