import type { TaskDesk } from "../../../../src/mcp/server/mcp-task-tool.ts";
import type { TaskManager } from "../../../../src/tasks/manager/task-manager.ts";

/** The real task manager as a desk. */
export function deskOf(manager: TaskManager): TaskDesk {
  return { ...manager, ttlMs: 3_600_000, agents: () => Promise.resolve([]) };
}
