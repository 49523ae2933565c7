import assert from "node:assert/strict";
import { test } from "node:test";
import { tellEntry } from "../../web/pages/log/tell-entry.ts";

test("each kind of line is told in one line, with everything in it visible [D6]", () => {
  const told = [
    { type: "tool_call", tool_name: "bash", input: { command: "ls" } },
    { type: "tool_result", state: "completed", latency_ms: 12.4, summary: "two\nlines" },
    { type: "tool_error", state: "failed", error: "\u001b[31mno\u202e" },
    { type: "decision", decision: "deny", by: "rule", reasons: ["not here", "nor there"] },
    { type: "audit", output: "out" },
    { type: "schedule", event: "run:started", job_name: "nightly", trigger: "catch_up" },
    { type: "schedule", event: "run:settled", job_name: "nightly", state: "missed", reason: "Nobody was there." },
    { type: "schedule", event: "job:changed", name: "nightly", change: "paused", by: "me", reason: null },
    { type: "schedule", event: "clock:jumped", by_ms: -7_200_000 },
    { type: "user_input", text: "Hello" },
    { type: "opened", pid: 7, hash: "x", writer: "w" },
  ].map(tellEntry);
  assert.deepEqual(told, [
    "ls",
    "completed in 12 ms: two lines",
    "failed: ␛[31mno\\u{202e}",
    "deny by rule: not here; nor there",
    "out",
    "nightly: a run began (catch up)",
    "nightly: missed: Nobody was there.",
    "nightly: paused by me",
    "the clock jumped by -7200 s",
    "Hello",
    "pid=7",
  ]);
});

test("a line of a million characters costs no more than its beginning", () => {
  assert.ok(tellEntry({ type: "note", text: "x".repeat(1_000_000) }).length <= 400);
});
