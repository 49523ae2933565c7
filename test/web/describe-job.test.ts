import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeInterval,
  describeWhen,
  describeWork,
  formatInZone,
  isSameTime,
  summarizeRuns,
} from "../../web/pages/schedule/describe-job.ts";

test("when and what a job does is said in a few words", () => {
  assert.equal(describeWhen({ cron: "0 9 * * 1-5", time_zone: "Asia/Seoul" }), "0 9 * * 1-5 (Asia/Seoul)");
  assert.equal(describeWhen({ every_ms: 5_400_000, anchor_at: "2026-01-01T00:00:00.000Z" }), "every 1 hour 30 minutes");
  assert.equal(describeWhen({ at: "2026-01-01T00:00:00.000Z" }), "once");
  assert.deepEqual([1000, 60_000, 90_000, 172_800_000, 500].map(describeInterval), [
    "second",
    "minute",
    "1 minute 30 seconds",
    "2 days",
    "500 ms",
  ]);
  const file = { kind: "custom_file", file: "tools/echo.js", tool_name: "echo", entrypoint: "run" } as const;
  assert.equal(
    describeWork({ kind: "tool", tool_name: "echo", tool_ref: file, input: {} }),
    "calls echo of tools/echo.js",
  );
  assert.equal(describeWork({ kind: "improve", tool_name: "echo" }), "improves echo");
});

test("times are those of the zone's clocks, with seconds only where there are some", () => {
  assert.equal(formatInZone("2026-11-16T00:00:00.000Z", "Asia/Seoul"), "Mon 16 Nov, 09:00");
  assert.equal(formatInZone("2026-11-16T00:00:30.000Z", "America/New_York"), "Sun 15 Nov, 19:00:30");
  assert.equal(isSameTime("2026-11-16T00:00:00.000Z", undefined), true);
});

test("a strip of runs has a text that says the same", () => {
  assert.equal(summarizeRuns([]), "It has not run yet.");
  assert.equal(summarizeRuns([{ state: "succeeded" }]), "1 run: 1 succeeded");
  assert.equal(
    summarizeRuns([{ state: "missed" }, { state: "succeeded" }, { state: "timed_out" }, { state: "succeeded" }]),
    "4 runs: 2 succeeded, 1 missed, 1 timed out",
  );
});

test("a zone that the browser does not know is told in UTC", () => {
  assert.equal(formatInZone("2026-11-16T09:00:00.000Z", "Mars/Olympus"), "Mon 16 Nov, 09:00 UTC");
});
