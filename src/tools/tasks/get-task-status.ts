import { z } from "zod";
import { statusOfTask } from "../../core/task-status.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, looksOnly, taskId, type TaskToolParts } from "./task-tool.ts";

export function createGetTaskStatusTool({ desk, clock }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "get_task_status",
    description: "State or result of a task.",
    input: z.object({ task_id: taskId }),
    answer: async ({ task_id: id }) => statusOfTask(await (await desk()).get(id), clock.now()),
  });
}
