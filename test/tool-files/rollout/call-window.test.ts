import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addCall,
  createCallWindow,
  figuresOf,
  parseCallWindow,
} from "../../../src/tool-files/rollout/metrics/call-window.ts";
import type { CallFigures, CountedCall } from "../../../src/tool-files/rollout/metrics/counted-call.ts";
import { count } from "../../support/counts.ts";
import { assertSound, drawCall, minute, ok, start } from "./counted-calls.ts";
import { createRandom } from "./simulator/random.ts";

const day = 24 * 60 * minute;

test("the last 100 calls and the last 30 minutes are what a list of all calls gives, percentiles within 5 % [V3]", () => {
  for (const perMinute of [0.2, 4, 90]) {
    const random = createRandom(perMinute * 10);
    const window = createCallWindow();
    const calls: CountedCall[] = [];
    let at = start;
    for (let index = 0; index < 3000; index++) {
      at += Math.round(2 * random.uniform() * (minute / perMinute));
      const call = drawCall(random, at);
      calls.push(call);
      addCall(window, call);
      if (index % 100 > 0) continue;
      const { lastCalls, lastMinutes } = figuresOf(window, at);
      assertFigures(lastCalls, calls.slice(-100));
      const oldest = Math.floor(at / minute) - 29;
      assertFigures(
        lastMinutes,
        calls.filter((each) => Math.floor(each.at / minute) >= oldest),
      );
    }
  }
});

test("percentiles are within 5 % from a millisecond to half an hour, also where all calls take the same time [V3]", () => {
  for (let latencyMs = 0.6; latencyMs < 30 * minute; latencyMs *= 1.37) {
    const window = createCallWindow();
    for (let index = 0; index < 20; index++) addCall(window, ok({ latencyMs }));
    for (const figures of Object.values(figuresOf(window, start))) {
      for (const value of [figures.p50, figures.p95, figures.p99]) assertClose(value, latencyMs);
    }
  }
});

test("a full window of 100 calls a minute is at most 3 kB of JSON, and no larger after many calls more [V3]", () => {
  const random = createRandom(5);
  const window = createCallWindow();
  const perMinute = 100;
  const play = (calls: number, from: number) => {
    for (let index = 0; index < calls; index++) addCall(window, drawCall(random, from + (index * minute) / perMinute));
  };
  play(40 * perMinute, start);
  const size = JSON.stringify(window).length;
  assert.ok(size <= 3000, `${size} characters`);
  play(count({ quick: 300, full: 10_000 }) * perMinute, start + 40 * minute);
  const later = JSON.stringify(window).length;
  assert.ok(later <= 3000, `${later} characters`);
});

test("thousands of calls a minute that each take another time are at most 12 kB of JSON [V3]", () => {
  const random = createRandom(7);
  const window = createCallWindow();
  const perMinute = count({ quick: 1000, full: 10_000 });
  for (let index = 0; index < 31 * perMinute; index++) {
    const latencyMs = 0.5 * Math.exp(15.3 * random.uniform());
    addCall(window, ok({ at: start + (index * minute) / perMinute, latencyMs, formatOk: true, isFollowUp: true }));
  }
  const size = JSON.stringify(window).length;
  assert.ok(size > 5000 && size <= 12_000, `${size} characters`);
});

test("what nobody knows of a call counts neither way [V3]", () => {
  const window = createCallWindow();
  assert.deepEqual(figuresOf(window, start).lastCalls, {
    calls: 0,
    errorRate: null,
    timeoutRate: null,
    p50: null,
    p95: null,
    p99: null,
    retryRate: null,
    formatPassRate: null,
    followUpRate: null,
    correctionRate: null,
  });
  addCall(window, ok({ formatOk: true, isCorrected: false }));
  addCall(window, ok({ formatOk: false }));
  addCall(window, { ...ok({}), outcome: "fatal", isRetry: true });
  addCall(window, { ...ok({}), outcome: "timeout" });
  const expected = {
    calls: 4,
    errorRate: 0.25,
    timeoutRate: 0.25,
    p50: 96.72,
    p95: 96.72,
    p99: 96.72,
    retryRate: 0.25,
    formatPassRate: 0.5,
    followUpRate: null,
    correctionRate: 0,
  };
  assert.deepEqual(figuresOf(window, start), { lastCalls: expected, lastMinutes: expected });
});

test("minutes pass without calls [V3]", () => {
  const window = createCallWindow();
  addCall(window, ok({ at: start }));
  addCall(window, ok({ at: start + 10 * minute }));
  const minutesAt = (now: number) => figuresOf(window, now).lastMinutes.calls;
  assert.equal(minutesAt(start + 29 * minute), 2);
  assert.equal(minutesAt(start + 30 * minute), 1);
  assert.equal(minutesAt(start + 40 * minute), 0);
  assert.equal(figuresOf(window, start + day).lastCalls.calls, 2);
});

test("a clock that jumps: the last calls stay, the minutes begin anew or go on [V3]", () => {
  const jumps: readonly (readonly [jump: number, minutesAfter: number])[] = [
    [-10 * minute, 6],
    [-29 * minute, 6],
    [-30 * minute, 1],
    [-day, 1],
    [10 * minute, 6],
    [365 * day, 1],
    [NaN, 6],
    [Infinity, 6],
  ];
  for (const [jump, minutesAfter] of jumps) {
    const window = createCallWindow();
    for (let index = 0; index < 5; index++) addCall(window, ok({ at: start }));
    const at = start + jump;
    addCall(window, ok({ at }));
    const { lastCalls, lastMinutes } = figuresOf(window, at);
    assert.deepEqual([lastCalls.calls, lastMinutes.calls], [6, minutesAfter], `by ${jump} ms`);
    addCall(window, ok({ at: start + minute }));
    assert.ok(figuresOf(window, start + minute).lastMinutes.calls >= 1, `back from ${jump} ms`);
  }
});

test("a first call at no time counts for the last calls only [V3]", () => {
  const window = createCallWindow();
  addCall(window, ok({ at: NaN }));
  const { lastCalls, lastMinutes } = figuresOf(window, NaN);
  assert.deepEqual([lastCalls.calls, lastMinutes.calls], [1, 0]);
});

test("no time and no latency makes it throw or grow, or a rate leave [0, 1] [V3]", () => {
  const times = fc.oneof(
    fc.integer({ min: start, max: start + 90 * minute }),
    fc.constantFrom(NaN, Infinity, -Infinity, 0, -1, 8.64e15, Number.MAX_VALUE, start - day, start + 365 * day),
  );
  const call: fc.Arbitrary<CountedCall> = fc.record(
    {
      at: times,
      outcome: fc.constantFrom("ok" as const, "error" as const, "timeout" as const, "fatal" as const),
      latencyMs: fc.oneof(fc.integer({ min: 0, max: 1e7 }), fc.double()),
      isRetry: fc.boolean(),
      formatOk: fc.boolean(),
      isFollowUp: fc.boolean(),
      isCorrected: fc.boolean(),
    },
    { requiredKeys: ["at", "outcome", "latencyMs", "isRetry"] },
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 300, size: "max" }), times, (calls, now) => {
      const window = createCallWindow();
      for (const each of calls) addCall(window, each);
      assert.ok(window.minutes.split(";").length <= 30);
      const { lastCalls } = assertSound(window, now);
      assert.equal(lastCalls.calls, Math.min(calls.length, 100));
      const stored: unknown = JSON.parse(JSON.stringify(window));
      assert.deepEqual(parseCallWindow(stored), window);
    }),
    { numRuns: count({ quick: 100, full: 2000 }) },
  );
});

function assertFigures(figures: CallFigures, calls: readonly CountedCall[]): void {
  const share = (of: readonly CountedCall[], is: (call: CountedCall) => boolean | undefined) =>
    of.length === 0 ? null : of.filter(is).length / of.length;
  const { p50, p95, p99, ...rates } = figures;
  assert.deepEqual(rates, {
    calls: calls.length,
    errorRate: share(calls, ({ outcome }) => outcome === "error" || outcome === "fatal"),
    timeoutRate: share(calls, ({ outcome }) => outcome === "timeout"),
    retryRate: share(calls, ({ isRetry }) => isRetry),
    formatPassRate: share(
      calls.filter(({ formatOk }) => formatOk !== undefined),
      ({ formatOk }) => formatOk,
    ),
    followUpRate: share(calls, ({ isFollowUp }) => isFollowUp),
    correctionRate: share(
      calls.filter(({ isCorrected }) => isCorrected !== undefined),
      ({ isCorrected }) => isCorrected,
    ),
  });
  const sorted = calls.map(({ latencyMs }) => latencyMs).toSorted((one, other) => one - other);
  const percentile = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1] as number;
  assertClose(p50, percentile(50));
  assertClose(p95, percentile(95));
  assertClose(p99, percentile(99));
}

function assertClose(value: number | null, exact: number): void {
  assert.ok(value !== null && Math.abs(value / exact - 1) < 0.05, `${value}, exactly ${exact}`);
}
