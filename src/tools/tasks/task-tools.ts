import type { Tool } from "../../core/tool.ts";
import { createCancelTaskTool } from "./cancel-task.ts";
import { createGetTaskOutputTool } from "./get-task-output.ts";
import { createGetTaskStatusTool } from "./get-task-status.ts";
import { createListAgentsTool } from "./list-agents.ts";
import { createListTasksTool } from "./list-tasks.ts";
import type { TaskToolParts } from "./task-tool.ts";
import { createUseAgentTool } from "./use-agent.ts";
import { createWaitForTaskTool } from "./wait-for-task.ts";

/** The tools around background agents. Making them opens nothing. */
export function createTaskTools(parts: TaskToolParts): Tool[] {
  return [
    createUseAgentTool(parts),
    createGetTaskStatusTool(parts),
    createWaitForTaskTool(parts),
    createGetTaskOutputTool(parts),
    createListTasksTool(parts),
    createCancelTaskTool(parts),
    createListAgentsTool(parts),
  ];
}

export const taskToolNames: ReadonlySet<string> = new Set([
  "use_agent",
  "get_task_status",
  "wait_for_task",
  "get_task_output",
  "list_tasks",
  "cancel_task",
  "list_agents",
]);
