import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assess,
  createRolloutState,
  decide,
  enterStage,
  observeCall,
  type ObservedCall,
  type RolloutState,
  type RuleArm,
  type RuleCounts,
  rolloutPolicy,
} from "../../../../src/tool-files/rollout/rollout.ts";
import {
  countAbove,
  countLatency,
  createLatencyBins,
  quantileOf,
} from "../../../../src/tool-files/rollout/decision/latency-bins.ts";
import { count } from "../../../support/counts.ts";
import { createRandom, type Random } from "../simulator/random.ts";

const policy = { ...rolloutPolicy("live", "low"), holdback: { percent: 0, calls: 0, elapsedMs: 0 } };

test("a quantile is right to 3 %, from a millisecond to ten minutes [V4]", () => {
  const random = createRandom(3);
  for (const median of [1, 40, 5000, 90_000]) {
    const bins = createLatencyBins();
    const latencies = Array.from({ length: 2000 }, () => median * Math.exp(0.6 * random.normal()));
    for (const latency of latencies) countLatency(bins, latency);
    const sorted = latencies.toSorted((one, other) => one - other);
    for (const share of [0.5, 0.95, 0.99]) {
      const exact = sorted[Math.floor(share * 2000)] as number;
      const ratio = quantileOf(bins, share) / exact;
      assert.ok(ratio > 0.96 && ratio < 1.04, `${share} of ${median}: ${ratio}`);
    }
    const above = countAbove(bins, 1.5 * median);
    const exactly = latencies.filter((latency) => latency > 1.5 * median).length;
    assert.ok(Math.abs(above - exactly) < 40, `${above}, exactly ${exactly}`);
  }
});

test("timeouts are slower than everything, and no calls have no quantile [V4]", () => {
  const bins = createLatencyBins();
  assert.ok(Number.isNaN(quantileOf(bins, 0.95)));
  for (const latency of [0, 5, 10, Infinity]) countLatency(bins, latency);
  assert.equal(quantileOf(bins, 0.9), Infinity);
  assert.equal(countAbove(bins, 1e9), 1);
  assert.equal(countAbove(bins, 0.01), 4);
});

test("the state is as large after many calls as after few, and survives being stored [V4]", () => {
  const state = createRolloutState({ now: 0, percent: 30 });
  const random = createRandom(5);
  play(state, random, 1000);
  const before = size(state);
  play(state, random, count({ quick: 30_000, full: 1_000_000 }));
  assert.ok(size(state) < before * 1.5, `${before} characters, then ${size(state)}`);
  const stored = JSON.parse(JSON.stringify(state)) as RolloutState;
  const question = { policy, now: 1, look: "now" } as const;
  assert.deepEqual(assess({ state: stored, ...question }), assess({ state, ...question }));
});

test("calls of a stage that ended soon are compared by latency as well, with stable's calls before it [V4]", () => {
  const state = createRolloutState({ now: 0, percent: 30 });
  const call = (arm: "canary" | "stable", latencyMs: number) =>
    observeCall(state, { arm, outcome: "ok", latencyMs, position: "first" });
  for (let index = 0; index < 90; index++) call("stable", 100 + index);
  for (let index = 0; index < 10; index++) call("canary", 100);
  enterStage(state, { index: 1, percent: 60, now: 1 });
  for (let index = 0; index < 10; index++) call("stable", 100 + index);
  for (let index = 0; index < 20; index++) call("canary", 1000);
  // 10 calls of stable are too few while the stage lasts: more may come.
  const compared = () => assess({ state, policy, now: 2, look: "now" }).evidence.tail;
  assert.deepEqual(compared(), { calls: 10, aboveLimit: 0, aboveP95: 0 });
  enterStage(state, { index: 2, percent: 90, now: 3 });
  assert.deepEqual(compared(), { calls: 30, aboveLimit: 20 / 30, aboveP95: 20 / 30 });
});

test("what follows a failure in a conversation counts for neither arm, unless it is fatal [V4]", () => {
  const state = createRolloutState({ now: 0, percent: 10 });
  const call = { arm: "canary", outcome: "error", latencyMs: 1, position: "after_failure" } as const;
  observeCall(state, call);
  assert.equal(state.canary.calls, 0);
  observeCall(state, { ...call, outcome: "fatal" });
  assert.equal(assess({ state, policy, now: 1 }).verdict, "rollback");
});

test("latencies of a stage that ended with few stable calls count all the same [V4]", () => {
  const state = createRolloutState({ now: 0, percent: 10 });
  const observe = (arm: "stable" | "canary", calls: number, latencyMs: number): void => {
    for (let call = 0; call < calls; call++) observeCall(state, { arm, outcome: "ok", latencyMs, position: "first" });
  };
  observe("stable", 100, 10);
  observe("canary", 10, 10);
  enterStage(state, { index: 1, percent: 30, now: 1 });
  const before = state.evidence.p95;
  observe("stable", 10, 10);
  observe("canary", 20, 1000);
  enterStage(state, { index: 2, percent: 50, now: 2 });
  const { calls, slow } = state.evidence.p95;
  assert.deepEqual([before.calls, before.slow, calls, slow], [10, 0, 30, 20]);
});

test("counters per block and a list of blocks lead to the same decisions [V4]", () => {
  const verdicts = { promote: "promote", advance: "promote", hold: "hold", rollback: "rollback", inconclusive: "hold" };
  const seen = new Set<string>();
  for (const errors of [0.01, 0.3]) {
    const random = createRandom(200 + errors * 100);
    const state = createRolloutState({ now: 0, percent: 10, history: { calls: 1000, failures: 12, discordant: 4 } });
    const record = createRecord();
    for (let calls = 0; calls < 5000; calls++) {
      const call = drawCall(random, { share: state.stage.percent / 100, errors });
      observeCall(state, call);
      record.add(call);
      if (call.arm === "stable") continue;
      const { index, percent } = state.stage;
      const next = policy.stages[index + 1] ?? 100;
      const history = { n: 1000, uniq: 12, discordant: 4 };
      const decided = decide({ stage: { index, percent, next }, ...record.arms(), history });
      const assessed = assess({ state, policy, now: calls });
      if (assessed.verdict === "inconclusive") continue;
      assert.equal(decided, verdicts[assessed.verdict], assessed.reason);
      seen.add(assessed.verdict);
      if (assessed.verdict === "rollback" || assessed.verdict === "promote") break;
      if (assessed.next) {
        enterStage(state, { ...assessed.next, now: calls });
        record.enterStage();
      }
    }
  }
  assert.deepEqual([...seen].toSorted(), ["advance", "hold", "promote", "rollback"]);
});

function play(state: RolloutState, random: Random, calls: number): void {
  for (let call = 0; call < calls; call++) observeCall(state, drawCall(random, { share: 0.3, errors: 0.01 }));
}

function drawCall(random: Random, { share, errors }: { share: number; errors: number }): ObservedCall {
  const arm = random.uniform() < share ? "canary" : "stable";
  const failing = arm === "canary" ? errors : 0.01;
  const outcome = random.uniform() < failing ? "error" : "ok";
  return { arm, outcome, latencyMs: 300 * Math.exp(0.6 * random.normal()), position: "first" };
}

function size(state: RolloutState): number {
  return JSON.stringify(state).length;
}

/** The calls themselves, kept as lists: another way to count the same. */
function createRecord() {
  type Arm = "canary" | "stable";
  const all: ObservedCall[] = [];
  let stageFrom = 0;
  const blocks: ObservedCall[][] = [[]];
  const countsOf = (calls: readonly ObservedCall[]): RuleCounts => {
    const failures = calls.filter((call) => call.outcome !== "ok").length;
    const bins = createLatencyBins();
    for (const call of calls) countLatency(bins, call.latencyMs);
    return {
      n: calls.length,
      errors: failures,
      timeouts: 0,
      uniq: failures,
      discordant: 0,
      quantile: (share) => quantileOf(bins, share),
      exceed: (latencyMs) => countAbove(bins, latencyMs),
    };
  };
  const closed = new Map<ObservedCall[], Record<Arm, RuleCounts>>();
  const pair = (calls: ObservedCall[]) => ({
    canary: countsOf(only(calls, "canary")),
    stable: countsOf(only(calls, "stable")),
  });
  const arm = (name: Arm): RuleArm => ({
    total: countsOf(only(all, name)),
    stage: countsOf(only(all.slice(stageFrom), name)),
    blocks: blocks.map((calls, index) => {
      if (index === blocks.length - 1) return pair(calls)[name];
      const known = closed.get(calls) ?? pair(calls);
      closed.set(calls, known);
      return known[name];
    }),
    fatal: 0,
    last: { failed: all.findLast((call) => call.arm === name)?.outcome === "error" },
  });
  return {
    add(call: ObservedCall) {
      if ((blocks.at(-1) ?? []).length >= 250) blocks.push([]);
      blocks.at(-1)?.push(call);
      all.push(call);
    },
    enterStage() {
      stageFrom = all.length;
      blocks.push([]);
    },
    arms: () => ({ canary: arm("canary"), stable: arm("stable") }),
  };

  function only(calls: readonly ObservedCall[], name: Arm): ObservedCall[] {
    return calls.filter((call) => call.arm === name);
  }
}
