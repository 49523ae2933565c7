import type { TaskOrder } from "../../../src/core/task.ts";

/** An order that says as little as possible. */
export function anOrder(order: Partial<TaskOrder> = {}): TaskOrder {
  return {
    agent: "any",
    message: "say hi",
    systemPrompt: null,
    model: null,
    cwd: "/tmp",
    args: [],
    timeoutMs: 60_000,
    resume: null,
    idempotencyKey: null,
    isIdempotent: false,
    bypassesPermissions: false,
    ...order,
  };
}
