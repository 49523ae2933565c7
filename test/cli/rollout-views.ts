import type { Assessment } from "../../src/tool-files/rollout/rollout.ts";
import type { FiguresRow, RolloutExplanation, RolloutView } from "../../src/tool-files/rollout/service/rollouts.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/** 2026-11-15T12:00:00Z */
export const now = 1_794_744_000_000;

export const running: RolloutView = {
  tool: "echo_tool",
  file: "tools/echo_tool.ts",
  mode: "canary",
  stable: "echo_tool@1e2e3457390a",
  stableSince: now - 12 * day,
  canary: "echo_tool@9ab01c22aa01",
  percent: 30,
  stages: [10, 30, 60, 100],
  status: "running",
  isHeld: false,
  isPinned: false,
  awaitsApproval: false,
  reason: "held: 45 of 70 canary calls, 1 failed (stable 1.0 % at the same time); about 2 days more",
  startedAt: now - 2 * day,
};

export const quiet: RolloutView = {
  ...running,
  tool: "word_count",
  file: "tools/word_count.py",
  stable: "word_count@77aa0c1d2e3f",
  canary: null,
  percent: 0,
  status: "none",
  reason: "nothing is tried",
  startedAt: null,
};

/** As the decision says it after 260 calls of stable with 3 failures, and 45 of the canary with 1. */
const live: Assessment = {
  verdict: "hold",
  cause: "evidence",
  reason: "held: 45 of 280 canary calls, 1 failed (stable 1.2 % at the same time); about 10 days more",
  effect: "act",
  missing: { canaryCalls: 235, milliseconds: 882_782_609 },
  evidence: {
    judgedBy: "failures",
    judgedFailures: 1,
    canary: { calls: 45, failures: 1, errors: 1, timeouts: 0, wrong: 0, fatal: 0 },
    stable: { calls: 260, failures: 3, errors: 3, timeouts: 0, wrong: 0, fatal: 0 },
    stableRate: 0.012,
    probabilityWorse: 0.78,
    probabilityUnsafe: 0.41,
    lately: { calls: 45, failures: 1, stableRate: 0.012 },
    p95Ms: { canary: 50, stable: 48 },
    tail: { calls: 45, aboveLimit: 0, aboveP95: 0 },
    sampleRatio: 0.8,
    judgement: { answer: "hold", cause: "evidence" },
  },
};

export function explanationOf(view: RolloutView = running): RolloutExplanation {
  const lane = { index: 1, percent: 30, isUsed: true, last: null } as const;
  return {
    view: { ...view, reason: live.reason },
    release: {
      v: 1,
      tool: "echo_tool",
      fileName: "echo_tool.ts",
      fileHash: "9ab01c22aa01",
      stable: { hash: "1e2e3457390a", since: now - 12 * day, origin: "person" },
      earlier: [{ hash: "0d0d0d0d0d0d", since: now - 40 * day, origin: "person", until: now - 12 * day }],
      pinned: null,
      out: {},
      rollout: {
        id: "roll_0190a6b2-7c1e-7a41-9d3f-5b2c8e4f1a60",
        hash: "9ab01c22aa01",
        origin: "agent",
        startedAt: now - 2 * day,
        risk: "low",
        verifies: false,
        status: "running",
        owner: null,
        reason: live.reason,
        held: null,
        replay: { cases: 20, passed: 20, flips: [], skipped: null },
        lanes: { live: lane, scheduled: { ...lane, isUsed: false } },
      },
    },
    lanes: { live, scheduled: null },
    figures: [
      figuresRow("stable", "all", { calls: 100, errorRate: 0.01 }),
      figuresRow("canary", "all", { calls: 45, errorRate: 1 / 45 }),
      figuresRow("stable", "mode=loud", { calls: 31, errorRate: 0 }),
      figuresRow("canary", "mode=loud", { calls: 9, errorRate: 1 / 9 }),
    ],
  };
}

function figuresRow(
  route: "stable" | "canary",
  kind: string,
  { calls, errorRate }: { readonly calls: number; readonly errorRate: number },
): FiguresRow {
  const known = { p50: 12.4, p95: 28.1, p99: 1204, retryRate: 0, formatPassRate: null, followUpRate: null };
  const figures = { calls, errorRate, timeoutRate: 0, ...known, correctionRate: null };
  const nothing = { calls: 0, errorRate: null, timeoutRate: null, p50: null, p95: null, p99: null, retryRate: null };
  return {
    version: route === "stable" ? running.stable : running.canary!,
    route,
    lane: "live",
    kind,
    lastCalls: figures,
    lastMinutes: { ...nothing, formatPassRate: null, followUpRate: null, correctionRate: null },
  };
}
