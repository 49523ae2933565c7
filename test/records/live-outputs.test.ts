import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventBus } from "../../src/core/event-bus.ts";
import { followOutputs } from "../../src/records/live-outputs.ts";
import { createManualClock } from "../support/manual-clock.ts";

const started = {
  toolName: "bash",
  toolId: "bash",
  toolInput: {},
  version: "builtin",
  route: "stable",
  attempt: 1,
  timeoutMs: 1000,
} as const;
const settled = {
  toolName: "bash",
  toolId: "bash",
  state: "completed",
  runPhase: "returned",
  error: null,
  errorType: null,
  durationMs: 1,
  summary: "",
} as const;

test("what a call printed is kept while it runs, and forgotten with its end [E9]", () => {
  const bus = createEventBus(createManualClock());
  const outputs = followOutputs(bus);
  bus.emit("execution:started", { id: "call_1", ...started });
  bus.emit("execution:progressed", { id: "call_1", progress: { output: "häl" } });
  bus.emit("execution:progressed", { id: "call_1", progress: { message: "half" } });
  bus.emit("execution:progressed", { id: "call_1", progress: { output: "lo\n", stream: "stderr" } });
  bus.emit("execution:progressed", { id: "call_2", progress: { output: "of nobody that was started" } });
  bus.flush();
  assert.deepEqual(outputs.of("call_1"), { text: "hällo\n", bytes: 7, isCut: false });
  assert.equal(outputs.of("call_2"), undefined);
  bus.emit("execution:settled", { id: "call_1", ...settled });
  bus.emit("execution:progressed", { id: "call_1", progress: { output: "too late" } });
  bus.flush();
  assert.equal(outputs.of("call_1"), undefined);
  outputs.close();
});

test("of a long output the end is kept, from a line on, 64 KiB at most [E9]", () => {
  const bus = createEventBus(createManualClock());
  const outputs = followOutputs(bus);
  bus.emit("execution:started", { id: "call_1", ...started });
  const line = `${"x".repeat(999)}\n`;
  for (let index = 0; index < 1000; index++) {
    bus.emit("execution:progressed", { id: "call_1", progress: { output: line } });
  }
  bus.flush();
  assert.deepEqual(outputs.of("call_1"), { text: line.repeat(65), bytes: 1_000_000, isCut: true });
  // One line without an end is cut between characters, never within one.
  bus.emit("execution:started", { id: "call_2", ...started });
  bus.emit("execution:progressed", { id: "call_2", progress: { output: `${"🐙".repeat(40_000)}x` } });
  bus.flush();
  const { text, isCut } = outputs.of("call_2")!;
  assert.ok(isCut && text.length <= 64 * 1024 && text.isWellFormed() && text.endsWith("🐙x"));
  outputs.close();
});

test("whoever closes it hears nothing more", () => {
  const bus = createEventBus(createManualClock());
  const outputs = followOutputs(bus);
  outputs.close();
  bus.emit("execution:started", { id: "call_1", ...started });
  bus.flush();
  assert.equal(outputs.of("call_1"), undefined);
});
