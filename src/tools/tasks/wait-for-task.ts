import { z } from "zod";
import type { Tool } from "../../core/tool.ts";
import { mostWaitSeconds, usualWaitSeconds, waitForTask } from "../../core/await-task.ts";
import { defineTaskTool, looksOnly, taskId, type TaskToolParts } from "./task-tool.ts";

/** Waits a while for a task. Giving up on the wait does nothing to the task. */
export function createWaitForTaskTool({ desk, clock }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "wait_for_task",
    description: `get_task_status at its end, or after ${mostWaitSeconds} s.`,
    input: z.object({
      task_id: taskId,
      timeout: z.number().optional(),
    }),
    answer: async ({ task_id: id, timeout = usualWaitSeconds }, context) =>
      waitForTask({ desk: await desk(), clock }, { id, seconds: Math.min(timeout, mostWaitSeconds) }, context),
  });
}
