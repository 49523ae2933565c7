import assert from "node:assert/strict";
import { test } from "node:test";
import type { Execution } from "../../src/core/call.ts";
import { executionFromWire } from "../../src/core/wire.ts";
import { exitCodeOf, type StopSignal } from "../../src/cli/parser/exit-code.ts";
import { formatAge, formatDuration } from "../../src/core/time.ts";

function execution(state: string, errorType: string | null = null): Execution {
  return executionFromWire({ id: "call_1", state, error_type: errorType });
}

test("every end of a call has its exit code", () => {
  const cases: [string, string | null, StopSignal | undefined, number][] = [
    ["completed", null, undefined, 0],
    ["completed", null, "SIGINT", 0],
    ["failed", "exit_code", undefined, 1],
    ["failed", "store", undefined, 1],
    ["failed", null, undefined, 1],
    ["failed", "unknown_tool", undefined, 2],
    ["failed", "invalid_input", undefined, 2],
    ["failed", "pattern", undefined, 2],
    ["cancelled", "denied", undefined, 3],
    ["cancelled", "denied", "SIGINT", 3],
    ["timeout", "timeout", undefined, 124],
    ["timeout", "timeout", "SIGINT", 124],
    ["cancelled", "cancelled", "SIGHUP", 129],
    ["cancelled", "cancelled", undefined, 130],
    ["cancelled", "cancelled", "SIGINT", 130],
    ["cancelled", "cancelled", "SIGTERM", 143],
  ];
  for (const [state, errorType, signal, code] of cases) {
    assert.equal(exitCodeOf(execution(state, errorType), signal), code, `${state} ${errorType} ${signal}`);
  }
});

test("durations and ages are short and never wrong by rounding up a unit", () => {
  const durations = [
    0.2, 1, 999.4, 999.5, 1000, 1249, 59_949, 59_950, 61_000, 120_000, 3_599_600, 3_725_000, 90_000_000,
  ];
  assert.deepEqual(durations.map(formatDuration), [
    "<1 ms",
    "1 ms",
    "999 ms",
    "1 s",
    "1 s",
    "1.2 s",
    "59.9 s",
    "1 min",
    "1 min 1 s",
    "2 min",
    "1 h",
    "1 h 2 min",
    "1 d 1 h",
  ]);
  assert.deepEqual([-5, 0, 59_999, 60_000, 7_200_000, 172_800_000].map(formatAge), [
    "now",
    "now",
    "59 s",
    "1 min",
    "2 h",
    "2 d",
  ]);
});
