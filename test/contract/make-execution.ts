import { createId } from "../../src/core/ids.ts";
import type { Execution } from "../../src/core/call.ts";

export const owner = { pid: 4711, startTime: "123456", bootId: "5f0c1d1e-0000-4000-8000-000000000001" };

let now = Date.UTC(2026, 0, 1);

/** An execution that is running, each a millisecond younger than the one before. */
export function makeExecution(given: Partial<Execution> = {}): Execution {
  now += 1;
  return {
    id: createId("call", now),
    toolName: "Read",
    toolId: "read",
    toolInput: { path: "notes.md" },
    state: "running",
    runPhase: "started",
    result: null,
    error: null,
    errorType: null,
    note: null,
    createdAt: now,
    startedAt: now,
    completedAt: null,
    durationMs: null,
    attempt: 1,
    timeoutMs: 10_000,
    idleMs: null,
    version: "builtin",
    route: "stable",
    canaryBucket: null,
    door: "agent",
    conversationId: null,
    turn: null,
    parentId: null,
    batchId: null,
    outputBytes: 0,
    stopCause: null,
    stopProof: null,
    killed: [],
    survivors: [],
    owner,
    permission: null,
    sandbox: null,
    ...given,
  };
}

export function complete(execution: Execution, given: Partial<Execution> = {}): Execution {
  return {
    ...execution,
    state: "completed",
    runPhase: "returned",
    result: { ok: true, output: "done" },
    completedAt: execution.createdAt + 5,
    durationMs: 4.25,
    outputBytes: 4,
    ...given,
  };
}
