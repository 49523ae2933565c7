import assert from "node:assert/strict";
import { test } from "node:test";
import { assess, createRolloutState, observeCall, rolloutPolicy, type Assessment } from "../../src/rollout/rollout.ts";
import { createRandom } from "./simulator/random.ts";

const policy = rolloutPolicy("live", "low");

/** Half of the calls on each; the canary takes so much longer. */
function play(stableMs: number, longerMs: number): Assessment {
  const random = createRandom(7);
  const state = createRolloutState({ now: 0, percent: 50, history: { calls: 100, failures: 0, discordant: 0 } });
  for (let call = 0; call < 800; call++) {
    const arm = call % 2 === 0 ? "canary" : "stable";
    const latencyMs = stableMs * Math.exp(0.3 * random.normal()) + (arm === "canary" ? longerMs : 0);
    observeCall(state, { arm, outcome: "ok", latencyMs, position: "first" });
  }
  return assess({ state, policy, now: 1000, look: "now" });
}

test("a few milliseconds more are no reason against a fast tool [V4]", () => {
  assert.equal(play(3, 12).verdict, "advance");
});

test("what a person would notice is [V4]", () => {
  const { verdict, cause } = play(300, 300);
  assert.deepEqual([verdict, cause], ["rollback", "slower"]);
});
