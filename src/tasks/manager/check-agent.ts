import type { TaskOrder } from "../../core/task.ts";
import { findAdapter } from "../adapters/find-adapter.ts";
import { checkLaunch } from "./launch-task.ts";
import type { TaskManagerOptions } from "./task-parts.ts";
import { invalid } from "./task-request.ts";

/** Throws TASK_INVALID when there is no such agent, or it can't be started with this order. */
export async function checkAgent(options: TaskManagerOptions, order: TaskOrder): Promise<void> {
  const { adapters, store } = options;
  const elsewhere = await listElsewhere(options, order.agent);
  // Only that worker's settings know it, and so only it can say what it makes of the order.
  if (elsewhere.includes(order.agent)) return;
  checkLaunch(options, findAdapter(order.agent, adapters, elsewhere), order);
  const lack = await store.shared?.explainLack(order.agent);
  if (lack !== undefined) throw invalid(lack);
}

/** The agents of workers, asked for only when this machine's settings do not know this one. */
async function listElsewhere({ adapters, store }: TaskManagerOptions, agent: string): Promise<readonly string[]> {
  if (store.shared?.runsHere !== false || adapters.has(agent)) return [];
  return (await store.shared.listAgents()).names;
}
