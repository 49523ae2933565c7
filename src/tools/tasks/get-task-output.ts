import { z } from "zod";
import { readOutput } from "../../core/task-answers.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, looksOnly, taskId, type TaskToolParts } from "./task-tool.ts";

const pieceBytes = 16 * 1024;

export function createGetTaskOutputTool({ desk }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "get_task_output",
    description: "What a task printed, and its answer so far.",
    input: z.object({
      task_id: taskId,
      from: z.int().optional().describe("Negative: from its end"),
    }),
    answer: async ({ task_id: id, from = 0 }) => readOutput(await desk(), id, { from, limit: pieceBytes }),
  });
}
