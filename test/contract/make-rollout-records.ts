import type { RolloutEvent, ToolFeedback } from "../../src/core/stores.ts";

export function makeEvent(given: Partial<RolloutEvent> = {}): Omit<RolloutEvent, "id"> {
  return {
    at: Date.UTC(2026, 0, 1),
    tool: "echo",
    version: "echo@1a2b3c",
    rolloutId: "roll_1",
    type: "advanced",
    by: "rule",
    who: null,
    reason: "Advanced to 30 %: 1 of 120 calls failed, stable 2 of 400.",
    figures: { canary: { calls: 120, errorRate: 0.008, lastCallAt: 1_767_225_600_000 }, stages: [10, 30] },
    ...given,
  };
}

export function makeFeedback(given: Partial<ToolFeedback> = {}): Omit<ToolFeedback, "count" | "firstAt"> {
  return {
    tool: "echo",
    version: "echo@1a2b3c",
    route: "canary",
    signature: "threw: no such file <path>",
    lastAt: Date.UTC(2026, 0, 1),
    executionId: "call_1",
    input: { file_path: "/a", maxLines: 3, startedAt: "yesterday" },
    error: "no such file /a",
    errorType: "threw",
    log: "opening /a\n",
    ...given,
  };
}
