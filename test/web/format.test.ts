import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, formatBytes } from "../../web/format/amount.ts";
import { showControls, showLine } from "../../web/format/show-controls.ts";
import { summarizeInput } from "../../web/format/summarize-call.ts";
import { formatDuration } from "../../src/core/time.ts";
import { formatClock, formatDistance, formatElapsed, formatWhen } from "../../web/format/time.ts";

test("control characters, escape sequences and bidi overrides are spelt out; lines and tabs stay [D6]", () => {
  assert.equal(showControls("a\tb\r\nc\n"), "a\tb\nc\n");
  assert.equal(showControls("\u001b[31mred\u001b[0m\u0007\u0000\r"), "␛[31mred␛[0m␇␀␍");
  assert.equal(showControls("invoice\u202efdp.exe"), "invoice\\u{202e}fdp.exe");
  assert.equal(showControls("a\u200bb\ufeffc\u2066d\u2069"), "a\\u{200b}b\\u{feff}c\\u{2066}d\\u{2069}");
  assert.equal(showControls("\u{e0041}\u0085"), "\\u{e0041}\\u{0085}");
  assert.equal(showControls("x\u200dy"), "x\\u{200d}y");
});

test("letters of every script and pictures of several signs stay as they are", () => {
  for (const text of ["한국어", "🇰🇷 👩‍👩‍👧‍👦 ❤️‍🔥", "e\u0301", "नमस्ते", "<b>&amp;</b>"]) {
    assert.equal(showControls(text), text);
  }
});

test("a line has no line end in it", () => {
  assert.equal(showLine("  one\n  two\u2028three\tfour "), "one two three four");
});

test("a call is told by what it does, not by its JSON, where one value says it", () => {
  assert.equal(summarizeInput({ description: "x", command: "ls\n-la" }), "ls -la");
  assert.equal(summarizeInput({ city: "Lisbon", days: 3 }), '{"city":"Lisbon","days":3}');
  assert.equal(summarizeInput({}), "");
  assert.equal(summarizeInput(null), "");
  assert.equal(summarizeInput("plain"), "plain");
  assert.equal(summarizeInput({ command: "x".repeat(100_000) }).length, 300);
});

test("durations and distances have the units that people use", () => {
  assert.deepEqual([0, 3, 999.6, 1234, 61_000, 3_600_000, 90_000_000].map(formatDuration), [
    "<1 ms",
    "3 ms",
    "1 s",
    "1.2 s",
    "1 min 1 s",
    "1 h",
    "1 d 1 h",
  ]);
  assert.deepEqual([400, 12_900, 61_999].map(formatElapsed), ["0 s", "12 s", "1 min 1 s"]);
  const now = 1_000_000_000;
  assert.deepEqual(
    [0, -3000, 90_000, -7_200_000, -200_000_000].map((offset) => formatDistance(now + offset, now)),
    ["just now", "3 s ago", "in 1 min", "2 h ago", "2 d ago"],
  );
});

test("amounts are written with their unit", () => {
  assert.deepEqual([0, 999, 3400, 1_234_567].map(formatBytes), ["0 B", "999 B", "3.4 kB", "1.23 MB"]);
  assert.deepEqual(
    [countOf(1, "call"), countOf(12_000, "call"), countOf(0, "entry", "entries")],
    ["1 call", "12,000 calls", "0 entries"],
  );
});

test("a time of another day is told with its day", () => {
  const noon = new Date(2026, 10, 16, 12, 0, 7).getTime();
  const dayMs = 86_400_000;
  assert.equal(formatWhen(noon, noon + 3_600_000), formatClock(noon));
  assert.match(formatWhen(noon - dayMs, noon), /15/);
  assert.ok(formatWhen(noon - dayMs, noon).includes(formatClock(noon)));
  assert.notEqual(formatWhen(noon, noon + 365 * dayMs), formatClock(noon));
});
