import assert from "node:assert/strict";
import type { TaskOrder } from "../../../src/core/task.ts";
import type { LaunchPlan } from "../../../src/tasks/adapters/agent-adapter.ts";
import { listAdapters } from "../../../src/tasks/adapters/list-adapters.ts";
import { anOrder } from "./an-order.ts";

export const adapters = listAdapters({ own: ["node", "/opt/deckhand.js"] });
export const place = { folder: "/data/tasks/task_1", sessionId: "11111111-2222-4333-8444-555555555555" };

/** What this agent would be started with. */
export function plan(agent: string, order: Partial<TaskOrder>): LaunchPlan {
  return adapters.get(agent)!.plan(anOrder({ agent, ...order }), place);
}

/** The sentence; empty when nothing was refused. */
export function refusal(agent: string, order: Partial<TaskOrder>): string {
  try {
    plan(agent, order);
    return "";
  } catch (thrown) {
    assert.equal((thrown as { code?: unknown }).code, "TASK_INVALID");
    return (thrown as Error).message;
  }
}
