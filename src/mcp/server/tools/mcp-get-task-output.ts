import { z } from "zod";
import { readOutput } from "../../../core/task-answers.ts";
import { defineTaskTool, looksOnly, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";
import { explainUnknown } from "./mcp-cancel-task.ts";
import { taskId } from "./schemas.ts";
import { taskStates } from "../../../core/task.ts";

const usualBytes = 16 * 1024;
const mostBytes = 1024 * 1024;

export function createGetTaskOutputTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "get_task_output",
    title: "Read a task's output",
    description:
      "Read what a background task has printed so far, a part at a time, its answer as far as it has come, its state and its session_id. Go on from next.",
    input: z.object({
      task_id: taskId,
      from: z
        .int()
        .describe("Where to begin, in bytes; a negative number counts from the end; 0 when left out")
        .optional(),
      limit: z
        .int()
        .positive("expected a number of bytes greater than 0")
        .max(mostBytes, `expected at most ${mostBytes} bytes; go on from next to read more`)
        .describe(`At most so many bytes; ${usualBytes} when left out`)
        .optional(),
    }),
    output: {
      type: "object",
      properties: {
        text: { type: "string", description: "What it printed, without secrets" },
        from: { type: "integer" },
        next: { type: "integer", description: "Where to go on reading" },
        total_bytes: { type: "integer" },
        answer: { type: "string", description: "As far as it has come; of a long one the beginning and the end" },
        error_text: { type: "string", description: "The end of what it printed as errors" },
        state: { type: "string", enum: taskStates, description: "Once it has ended, nothing comes behind total_bytes" },
        progress: { type: "string", description: "The latest it told of itself" },
        session_id: { type: "string", description: "use_agent takes it as resume" },
      },
      required: ["text", "from", "next", "total_bytes", "answer", "error_text", "state"],
      additionalProperties: false,
    },
    annotations: looksOnly,
    async answer({ task_id: id, from = 0, limit = usualBytes }) {
      try {
        return await readOutput(await desk(), id, { from, limit });
      } catch (thrown) {
        throw explainUnknown(thrown);
      }
    },
  });
}
