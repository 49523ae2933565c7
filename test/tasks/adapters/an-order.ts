import type { TaskOrder } from "../../../src/core/task.ts";
import type { PlacedOrder } from "../../../src/tasks/adapters/agent-adapter.ts";

/** An order that says as little as possible. */
export function anOrder(order: Partial<TaskOrder> = {}): PlacedOrder {
  return {
    agent: "any",
    message: "say hi",
    systemPrompt: null,
    model: null,
    args: [],
    timeoutMs: 60_000,
    resume: null,
    idempotencyKey: null,
    isIdempotent: false,
    bypassesPermissions: false,
    ...order,
    cwd: order.cwd ?? "/tmp",
  };
}
