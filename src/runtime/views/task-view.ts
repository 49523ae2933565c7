import type { Task } from "../../core/task.ts";
import { toWire } from "../../core/wire.ts";
import type { Runtime } from "../runtime.ts";
import type { AgentInfo } from "../../tasks/manager/task-service.ts";

/** As it leaves the program: without secrets, in snake_case. */
export function printableTask({ maskValue }: Pick<Runtime, "maskValue">, task: Task): object {
  const { id, state, order, ...rest } = task;
  return toWire(maskValue({ id, state, order, ...rest })) as object;
}

export function agentToWire({ name, title, isInstalled, install, canResume, limit }: AgentInfo): object {
  return { name, title, installed: isInstalled, install, can_resume: canResume, limit };
}
