import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCost, formatTokens } from "../../../src/cli/output/format-figures.ts";
import { renderStatusLine, type RunStatus } from "../../../src/cli/output/status-line.ts";
import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";

const status: RunStatus = {
  model: "anthropic/claude\u001b[2J",
  contextTokens: 81_200,
  maxContextTokens: 100_000,
  cost: 0.1234,
  cachedPercent: 85,
  mode: "ask",
  elapsedMs: 63_400,
};

test("the status line fits every width: what matters least is left out first [L2]", () => {
  const shown = (columns: number): string => renderStatusLine(status, columns, (_, text) => text);
  assert.equal(shown(100), "anthropic/claude␛[2J · 81.2k/100k (81%) · $0.12 · cache 85% · ask · 1 min 3 s");
  assert.equal(shown(70), "anthropic/claude␛[2J · 81.2k/100k (81%) · $0.12 · ask · 1 min 3 s");
  assert.equal(shown(60), "anthropic/claude␛[2J · 81.2k/100k (81%) · $0.12 · ask");
  assert.equal(shown(50), "anthropic/claude␛[2J · 81.2k/100k (81%) · ask");
  assert.equal(shown(30), "81.2k/100k (81%) · ask");
  assert.equal(shown(20), "81.2k/100k (81%)");
  assert.equal(shown(6), "81.2k…");
  for (let columns = 0; columns < 90; columns++) assert.ok(displayWidth(shown(columns)) <= columns);
});

test("a context that is nearly full is seen, and what is not known is left out [L4]", () => {
  const marked = (changes: Partial<RunStatus>): string =>
    renderStatusLine(
      { ...status, cost: null, cachedPercent: null, ...changes },
      80,
      (style, text) => `${String(style)}: ${text}`,
    );
  assert.match(marked({}), /^yellow: /);
  assert.equal(marked({ contextTokens: 79_000, model: null, elapsedMs: null }), "dim: 79k/100k (79%) · ask");
  assert.equal(marked({ maxContextTokens: null, model: null, mode: null, elapsedMs: 10 }), "dim: 81.2k tokens");
});

test("figures are short and never round to nothing [L2]", () => {
  assert.deepEqual([0, 999, 1000, 12_345, 999_949, 999_950, 1_234_567].map(formatTokens), [
    "0",
    "999",
    "1k",
    "12.3k",
    "999.9k",
    "1M",
    "1.2M",
  ]);
  assert.deepEqual([0, 0.000_01, 0.0012, 0.0999, 0.5, 12.345].map(formatCost), [
    "$0",
    "<$0.0001",
    "$0.0012",
    "$0.0999",
    "$0.50",
    "$12.35",
  ]);
});
