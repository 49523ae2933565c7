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
    { type: "user_input", text: "Hello" },
    { type: "opened", pid: 7, hash: "x", writer: "w" },
  ].map(tellEntry);
  assert.deepEqual(told, [
    "ls",
    "completed in 12 ms: two lines",
    "failed: ␛[31mno\\u{202e}",
    "deny by rule: not here; nor there",
    "out",
    "Hello",
    "pid=7",
  ]);
});

test("a line of a million characters costs no more than its beginning", () => {
  assert.ok(tellEntry({ type: "note", text: "x".repeat(1_000_000) }).length <= 400);
});
