import { z } from "zod";
import { codeOf, RuntimeError } from "../../../core/errors.ts";
import { answerOfCancel } from "../../../core/task-answers.ts";
import { defineTaskTool, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";
import { stopProof, taskId } from "./schemas.ts";
import { taskStates } from "../../../core/task.ts";

export function createCancelTaskTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "cancel_task",
    title: "Cancel a task",
    description:
      "Stop a background task and everything it started; answers when that is done. The state is cancelled, or how it had ended before; stop_proof says how it is known that nothing of it is left.",
    input: z.object({ task_id: taskId, reason: z.string().describe("Why; it is kept with the task").optional() }),
    output: {
      type: "object",
      properties: {
        task_id: { type: "string" },
        state: { type: "string", enum: taskStates },
        stop_proof: stopProof,
        error: { type: "string", description: "Why it ended without a result" },
      },
      required: ["task_id", "state"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async answer({ task_id: id, reason }) {
      try {
        return answerOfCancel(await (await desk()).cancel(id, reason || "by an MCP client"));
      } catch (thrown) {
        throw explainUnknown(thrown);
      }
    },
  });
}

/** The words of `get_task_status` for a task that is not there. */
export function explainUnknown(thrown: unknown): unknown {
  if (codeOf(thrown) !== "TASK_UNKNOWN") return thrown;
  return new RuntimeError("TASK_UNKNOWN", "Task ID not found or expired.", { cause: thrown });
}
