import { z } from "zod";
import { answerOfOutput } from "../../core/task-answers.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, looksOnly, taskId, type TaskToolParts } from "./task-tool.ts";

const pieceBytes = 16 * 1024;

export function createGetTaskOutputTool({ desk }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "get_task_output",
    description: "Output of a background task, and its answer so far.",
    input: z.object({
      task_id: taskId,
      from: z.int().optional().describe("Byte; negative: from the end"),
    }),
    async answer({ task_id: id, from = 0 }) {
      return answerOfOutput(await (await desk()).output(id, { from, limit: pieceBytes }));
    },
  });
}
