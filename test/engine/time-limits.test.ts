import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOptions } from "../../src/core/call.ts";
import type { Tool } from "../../src/core/tool.ts";
import { defaultLimits, resolveTimeLimits, type EngineLimits } from "../../src/engine/time-limits.ts";
import { looseTool } from "../support/engine.ts";

interface Case {
  readonly what: string;
  readonly call?: CallOptions;
  readonly asked?: { readonly timeoutMs?: number; readonly idleMs?: number };
  readonly configured?: Partial<EngineLimits>;
  readonly tool?: { readonly timeoutMs?: number; readonly idleMs?: number };
  readonly expected: { readonly timeoutMs: number; readonly idleMs: number | null };
}

const configured = { timeoutMs: { t: 3000 }, idleMs: { t: 300 } };
const cases: readonly Case[] = [
  { what: "nobody says anything: the runtime's", expected: { timeoutMs: 120_000, idleMs: null } },
  { what: "the tool's own", tool: { timeoutMs: 2000, idleMs: 200 }, expected: { timeoutMs: 2000, idleMs: 200 } },
  {
    what: "the configuration over the tool",
    tool: { timeoutMs: 2000, idleMs: 200 },
    configured,
    expected: { timeoutMs: 3000, idleMs: 300 },
  },
  {
    what: "what this input asks for over the configuration",
    tool: { timeoutMs: 2000, idleMs: 200 },
    configured,
    asked: { timeoutMs: 4000, idleMs: 400 },
    expected: { timeoutMs: 4000, idleMs: 400 },
  },
  {
    what: "this call over all",
    tool: { timeoutMs: 2000, idleMs: 200 },
    configured,
    asked: { timeoutMs: 4000, idleMs: 400 },
    call: { timeoutMs: 5000, idleMs: 500 },
    expected: { timeoutMs: 5000, idleMs: 500 },
  },
  {
    what: "wall and idle from different places",
    tool: { idleMs: 200 },
    configured: { timeoutMs: { t: 3000 } },
    call: { timeoutMs: 5000 },
    expected: { timeoutMs: 5000, idleMs: 200 },
  },
  {
    what: "the configuration of another tool is no concern",
    configured: { timeoutMs: { other: 1 }, idleMs: { other: 1 } },
    expected: { timeoutMs: 120_000, idleMs: null },
  },
  { what: "the cap caps a call", call: { timeoutMs: 9e9 }, expected: { timeoutMs: 600_000, idleMs: null } },
  {
    what: "the cap caps the runtime's default",
    configured: { maxTimeoutMs: 50 },
    expected: { timeoutMs: 50, idleMs: null },
  },
  {
    what: "the cap caps the tool's own",
    configured: { maxTimeoutMs: 50 },
    tool: { timeoutMs: 60 },
    expected: { timeoutMs: 50, idleMs: null },
  },
  {
    what: "the cap caps the configuration",
    configured: { maxTimeoutMs: 50, timeoutMs: { t: 60 } },
    expected: { timeoutMs: 50, idleMs: null },
  },
  {
    what: "no limit at all can't be had",
    call: { timeoutMs: Number.POSITIVE_INFINITY },
    expected: { timeoutMs: 600_000, idleMs: null },
  },
  ...[0, -1, Number.NaN].map((timeoutMs) => ({
    what: `${timeoutMs} is no limit and passes the question on`,
    call: { timeoutMs, idleMs: timeoutMs },
    tool: { timeoutMs: 2000, idleMs: 200 },
    expected: { timeoutMs: 2000, idleMs: 200 },
  })),
];
for (const { what, call = {}, asked, configured: given = {}, tool = {}, expected } of cases) {
  test(`time limits: ${what} [E3]`, () => {
    const limited: Tool = {
      ...looseTool({ name: "t", run: () => Promise.resolve({ ok: true, output: "" }) }),
      ...tool,
      ...(asked ? { limits: () => asked } : {}),
    };
    const limits = { ...defaultLimits, ...given };
    assert.deepEqual(resolveTimeLimits({ tool: limited, input: {}, call }, limits), expected);
  });
}

test("the defaults are 120 s, capped at 600 s, 4 at once, 3 failures [E3 P1 P6]", () => {
  assert.deepEqual(defaultLimits, {
    defaultTimeoutMs: 120_000,
    maxTimeoutMs: 600_000,
    timeoutMs: {},
    idleMs: {},
    maxParallel: 4,
    maxRetry: 3,
  });
});
