import { createId } from "../../src/core/ids.ts";
import type { Task, TaskOrder } from "../../src/core/task.ts";

let now = Date.UTC(2026, 0, 1);

export function makeTask(given: Partial<Task> = {}, order: Partial<TaskOrder> = {}): Task {
  now += 1;
  const id = createId("task", now);
  return {
    id,
    order: {
      agent: "claude",
      message: "Fix it",
      systemPrompt: null,
      model: null,
      cwd: "/project",
      args: [],
      timeoutMs: 60_000,
      resume: null,
      idempotencyKey: null,
      isIdempotent: false,
      bypassesPermissions: false,
      ...order,
    },
    state: "queued",
    createdAt: now,
    startedAt: null,
    completedAt: null,
    activeAt: null,
    result: null,
    error: null,
    sessionId: null,
    progress: null,
    process: null,
    owner: null,
    stopProof: null,
    cancelReason: null,
    folder: `/project/.deckhand/tasks/${id}`,
    door: "mcp",
    attempt: 1,
    ...given,
  };
}
