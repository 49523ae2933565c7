import { z } from "zod";
import { statusOfTask } from "../../../core/task-status.ts";
import { defineTaskTool, looksOnly, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";
import { statusSchema, taskId } from "./schemas.ts";

export function createGetTaskStatusTool({ desk, clock }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "get_task_status",
    title: "Ask how a task is",
    description:
      "Say how a background task is: running, completed with its result, failed with the reason, or not_found. Answers at once; wait_for_task saves asking again and again.",
    input: z.object({ task_id: taskId }),
    output: statusSchema,
    annotations: looksOnly,
    answer: async ({ task_id: id }) => statusOfTask(await (await desk()).get(id), clock.now()),
  });
}
