import { z } from "zod";
import { mostWaitSeconds, usualWaitSeconds, waitForTask } from "../../../core/await-task.ts";
import { defineTaskTool, looksOnly, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";
import { statusSchema, taskId } from "./schemas.ts";

/** Waits a while for a task. Giving up on the wait does nothing to the task. */
export function createWaitForTaskTool({ desk, clock }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "wait_for_task",
    title: "Wait for a task",
    description: `Wait until a background task has ended, at most ${mostWaitSeconds} s, and say how it is, as get_task_status does. Still running? Call it again; the task goes on either way.`,
    input: z.object({
      task_id: taskId,
      timeout: z
        .number()
        .min(0, "expected a number of seconds, 0 or more")
        .max(mostWaitSeconds, `expected at most ${mostWaitSeconds} seconds; call it again to wait longer`)
        .describe(`Seconds to wait at most; ${usualWaitSeconds} when left out`)
        .optional(),
    }),
    output: statusSchema,
    annotations: looksOnly,
    answer: async ({ task_id: id, timeout: seconds = usualWaitSeconds }, context) =>
      waitForTask({ desk: await desk(), clock }, { id, seconds }, context),
  });
}
