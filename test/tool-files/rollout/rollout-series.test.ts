import assert from "node:assert/strict";
import { test } from "node:test";
import type { Execution } from "../../../src/core/call.ts";
import { readSeries } from "../../../src/tool-files/rollout/service/rollout-series.ts";
import type { RolloutExplanation } from "../../../src/tool-files/rollout/service/rollouts.ts";
import { complete, makeExecution } from "../../contract/make-execution.ts";

const minute = 60_000;
const now = Date.UTC(2026, 10, 16, 12);
const explanation = {
  view: { canary: "say@new" },
  release: { tool: "say", rollout: { startedAt: now - 30 * minute } },
} as unknown as RolloutExplanation;

function call(minutesAgo: number, given: Partial<Execution>): Execution {
  const done = complete(makeExecution({ toolId: "say", version: "say@old" }), given);
  return { ...done, createdAt: now - minutesAgo * minute };
}

test("calls are counted by minute, way and version, as the rollout judges them [D6]", async () => {
  const canary = { route: "canary", version: "say@new" } as const;
  const calls = [
    call(0.5, { durationMs: 10 }),
    call(1, { durationMs: 30 }),
    call(1, { durationMs: 20 }),
    call(1, { ...canary, durationMs: 40 }),
    call(1, { ...canary, state: "failed", errorType: "exit_code", durationMs: 50 }),
    // Stable answered it: that is a failure of the canary, whose time is not on record.
    call(1, { route: "canary", version: "say@old", durationMs: 70 }),
    // Neither says anything about a version.
    call(1, { ...canary, state: "failed", errorType: "invalid_input" }),
    call(1, { ...canary, state: "failed", errorType: "denied", runPhase: "not_started" }),
    call(2, { state: "timeout", errorType: "timeout", durationMs: 1000 }),
  ];
  const asked: unknown[] = [];
  const list = async (query: unknown) => {
    asked.push(query);
    return calls;
  };
  const series = await readSeries({ list }, explanation, now);
  assert.deepEqual(
    series.map(({ at, spanMs, version, route, calls: count, errors, p50Ms, p95Ms }) => [
      (now - at) / minute,
      spanMs,
      route,
      version,
      [count, errors, p50Ms, p95Ms],
    ]),
    [
      [2, minute, "stable", "say@old", [1, 1, 1000, 1000]],
      [1, minute, "stable", "say@old", [3, 0, 20, 30]],
      [1, minute, "canary", "say@new", [3, 2, 40, 50]],
    ],
  );
  assert.deepEqual(asked, [
    {
      toolId: "say",
      states: ["completed", "failed", "timeout"],
      afterId: "call_01a1e41f-02c0",
      limit: 5000,
      mostRows: 50_000,
    },
  ]);
});

test("a long trial has wider buckets, so that there are 60 at most [D6]", async () => {
  const calls = Array.from({ length: 300 }, (_, index) => call(index * 30, { durationMs: 1 }));
  const series = await readSeries({ list: async () => calls }, explanation, now);
  assert.ok(series.length <= 61, String(series.length));
  assert.equal(series[0]!.spanMs, 240 * minute);
  assert.equal(
    series.reduce((sum, bucket) => sum + bucket.calls, 0),
    300,
  );
});

test("the interval of the p95 holds it in 95 of 100 series, and is open upwards below 72 calls [D6]", async () => {
  const measure = async (latencies: readonly number[]) => {
    const calls = latencies.map((durationMs) => call(1, { durationMs }));
    const [bucket] = await readSeries({ list: async () => calls }, explanation, now);
    return bucket!;
  };
  const steps = (calls: number): number[] => Array.from({ length: calls }, (_, index) => index + 1);
  // Latencies that are their own ranks.
  const ranks: Record<number, readonly (number | null)[]> = {};
  for (const calls of [1, 3, 29, 71, 72, 100, 1000]) {
    const { p95LowMs, p95Ms, p95HighMs } = await measure(steps(calls));
    ranks[calls] = [p95LowMs, p95Ms, p95HighMs];
    const covered = chanceOfRanks(calls, { low: p95LowMs!, high: p95HighMs ?? calls + 1 });
    assert.ok(covered >= 0.95, `${calls} calls: ${covered}`);
  }
  assert.deepEqual(ranks, {
    1: [1, 1, null],
    3: [2, 3, null],
    29: [25, 28, null],
    71: [64, 68, null],
    72: [64, 69, 72],
    100: [90, 95, 100],
    1000: [936, 950, 964],
  });
});

/** How likely at least `low` and less than `high` of so many calls are faster than the true p95. */
function chanceOfRanks(calls: number, { low, high }: { readonly low: number; readonly high: number }): number {
  let sum = 0;
  for (let faster = low; faster < high; faster++) {
    let logarithm = faster * Math.log(0.95) + (calls - faster) * Math.log(0.05);
    for (let index = 1; index <= calls - faster; index++) logarithm += Math.log((faster + index) / index);
    sum += Math.exp(logarithm);
  }
  return sum;
}
