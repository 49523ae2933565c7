import { isDeepStrictEqual } from "node:util";
import type { Task, TaskDoor, TaskOrder } from "../../core/task.ts";
import { invalid } from "./task-request.ts";

/**
 * Throws TASK_INVALID when the key of an order is that of another job: whoever ordered it would take that one's answer for its
 * own, and never learn that this job was not done. How long it may take, and whether it may be repeated, makes no other job.
 */
export function checkSameOrder(
  kept: Task,
  order: TaskOrder,
  { door, mask }: { readonly door: TaskDoor; readonly mask: (text: string) => string },
): void {
  // A run makes its key itself; its job may have been changed since.
  if (door === "schedule") return;
  // Of one that has ended, secrets are not kept.
  const masked = maskOrder(order, mask);
  const isUnlike = (key: keyof TaskOrder): boolean =>
    ![order, masked].some((one) => isDeepStrictEqual(kept.order[key], one[key]));
  const unlike = parts.filter(([key]) => isUnlike(key)).map(([, name]) => name);
  if (unlike.length === 0) return;
  throw invalid(
    `The idempotency key ${JSON.stringify(order.idempotencyKey?.slice(0, 80))} belongs to ${kept.id} (${kept.state}), which has ` +
      `a different ${unlike.join(" and a different ")}. Use another key for a different task.`,
  );
}

/** The order as it is kept once its task has ended. */
export function maskOrder(order: TaskOrder, mask: (text: string) => string): TaskOrder {
  const { message, systemPrompt, args } = order;
  return {
    ...order,
    message: mask(message),
    systemPrompt: systemPrompt === null ? null : mask(systemPrompt),
    args: args.map(mask),
  };
}

const parts = [
  ["agent", "agent"],
  ["message", "message"],
  ["systemPrompt", "system prompt"],
  ["model", "model"],
  ["cwd", "working directory"],
  ["args", "argument list"],
  ["resume", "session to resume"],
  ["bypassesPermissions", "permission bypass"],
] as const satisfies readonly (readonly [keyof TaskOrder, string])[];
