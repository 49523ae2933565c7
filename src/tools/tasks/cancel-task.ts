import { z } from "zod";
import { answerOfCancel } from "../../core/task-answers.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, taskId, type TaskToolParts } from "./task-tool.ts";

export function createCancelTaskTool({ desk }: TaskToolParts): Tool {
  return defineTaskTool({
    name: "cancel_task",
    description: "Stop a task.",
    traits: { readOnly: false, risk: "medium", idempotent: true, replay: "safe" },
    input: z.object({ task_id: taskId, reason: z.string().optional() }),
    // Stopping takes its time: asking, killing, looking that none is left.
    timeoutMs: 60_000,
    preview: async ({ task_id: id }) => {
      const task = await (await desk()).get(id);
      return (
        task && { text: `Stop ${task.order.agent} (${task.state}), which was to do this:\n\n${task.order.message}` }
      );
    },
    async answer({ task_id: id, reason }) {
      return answerOfCancel(await (await desk()).cancel(id, reason || "by the agent"));
    },
  });
}
