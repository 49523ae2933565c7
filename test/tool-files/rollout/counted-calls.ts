import assert from "node:assert/strict";
import { type CallWindow, figuresOf } from "../../../src/tool-files/rollout/metrics/call-window.ts";
import type { CountedCall } from "../../../src/tool-files/rollout/metrics/counted-call.ts";
import type { Random } from "./simulator/random.ts";

export const minute = 60_000;
export const start = Date.UTC(2026, 10, 16);

export function ok(call: Partial<CountedCall>): CountedCall {
  return { at: start, outcome: "ok", latencyMs: 100, isRetry: false, ...call };
}

export function drawCall(random: Random, at: number): CountedCall {
  const draw = random.uniform();
  return {
    at,
    outcome: draw < 0.05 ? "error" : draw < 0.08 ? "timeout" : draw < 0.09 ? "fatal" : "ok",
    latencyMs: 300 * Math.exp(0.6 * random.normal()),
    isRetry: random.uniform() < 0.1,
    isFollowUp: random.uniform() < 0.05,
    ...(random.uniform() < 0.5 && { formatOk: random.uniform() < 0.9 }),
    ...(random.uniform() < 0.3 && { isCorrected: random.uniform() < 0.2 }),
  };
}

/** Whatever was counted, the figures are such as there can be. */
export function assertSound(window: CallWindow, now: number): ReturnType<typeof figuresOf> {
  const figures = figuresOf(window, now);
  for (const { calls, p50, p95, p99, ...rates } of Object.values(figures)) {
    assert.ok(Number.isSafeInteger(calls) && calls >= 0);
    for (const rate of Object.values(rates)) assert.ok(rate === null || (rate >= 0 && rate <= 1), `${rate}`);
    for (const latency of [p50, p95, p99]) assert.ok(latency === null || (latency > 0 && latency < Infinity));
  }
  return figures;
}
