import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shareInterval } from "../../web/charts/interval.ts";
import { alignedData, labelTimes } from "../../web/charts/chart-options.ts";
import { errorColumns, latencyColumns, type SeriesBucket } from "../../web/charts/rollout-series.ts";

test("the interval of a share holds the share, narrows with calls, and is known at both ends", () => {
  assert.equal(shareInterval(0, 0), null);
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  const told = [
    [0, 10],
    [5, 10],
    [10, 10],
    [1, 100],
  ].map(([events, calls]) => {
    const { share, low, high } = shareInterval(events!, calls!)!;
    return [share, round(low), round(high)];
  });
  // From the published tables of the Wilson score interval.
  assert.deepEqual(told, [
    [0, 0, 0.2775],
    [0.5, 0.2366, 0.7634],
    [1, 0.7225, 1],
    [0.01, 0.0018, 0.0545],
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), (calls, part) => {
      const events = Math.round(calls * part);
      const { share, low, high } = shareInterval(events, calls)!;
      assert.ok(0 <= low && low <= share && share <= high && high <= 1);
      const more = shareInterval(events * 4, calls * 4)!;
      assert.ok(more.high - more.low <= high - low);
    }),
  );
});

const bucket = (minute: number, route: string, more: Partial<SeriesBucket>): SeriesBucket => ({
  at: `2026-01-01T00:0${minute}:00.000Z`,
  route,
  version: `echo@${route}`,
  calls: 0,
  errors: 0,
  p50_ms: null,
  p95_ms: null,
  p95_low_ms: null,
  p95_high_ms: null,
  ...more,
});

test("error rates add up since the beginning, and an arm without calls has no point", () => {
  const { times, arms } = errorColumns([
    bucket(1, "canary", { calls: 10, errors: 5 }),
    bucket(0, "stable", { calls: 90, errors: 0 }),
    bucket(1, "stable", { calls: 10, errors: 10 }),
  ]);
  const start = Date.parse("2026-01-01T00:00:00Z") / 1000;
  assert.deepEqual(times, [start, start + 60]);
  assert.deepEqual(arms.stable.line, [0, 10]);
  assert.deepEqual(arms.canary.line, [null, 50]);
  assert.ok(arms.canary.high[1]! - arms.canary.low[1]! > arms.stable.high[1]! - arms.stable.low[1]!);
});

test("latency has its slow end as a line within its interval; of two versions in one minute the one with more calls counts", () => {
  const { arms } = latencyColumns([
    bucket(0, "stable", { calls: 5, p95_ms: 40, p95_low_ms: 30, p95_high_ms: 90 }),
    bucket(0, "stable", { calls: 4, p95_ms: 50, p95_low_ms: 50, p95_high_ms: 50, version: "echo@other" }),
    bucket(1, "canary", { calls: 5, p95_ms: 7 }),
  ]);
  assert.deepEqual(arms.stable, { low: [30, null], line: [40, null], high: [90, null] });
  assert.deepEqual(arms.canary, { low: [null, 7], line: [null, 7], high: [null, Infinity] });
});

test("an interval that is open upwards is drawn to the upper edge of the picture, which it does not move [D6]", () => {
  const columns = latencyColumns([
    bucket(0, "stable", { calls: 90, p95_ms: 40, p95_low_ms: 30, p95_high_ms: 420 }),
    bucket(0, "canary", { calls: 9, p95_ms: 50, p95_low_ms: 20, p95_high_ms: null }),
  ]);
  const [, ...drawn] = alignedData(columns);
  assert.deepEqual(drawn, [[30], [40], [420], [20], [50], [1000]]);
});

test("no two labels of a time axis are the same, from seconds to weeks", () => {
  for (const step of [5, 15, 60, 300, 3600, 21_600, 86_400]) {
    const labels = labelTimes(Array.from({ length: 8 }, (_, index) => 1_763_424_000 + index * step));
    assert.equal(new Set(labels).size, 8, `${step} s: ${labels.join(" ")}`);
  }
});
