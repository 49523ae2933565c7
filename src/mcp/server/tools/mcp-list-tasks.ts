import { z } from "zod";
import { rowOfTask } from "../../../core/task-answers.ts";
import { taskStates } from "../../../core/task.ts";
import { defineTaskTool, looksOnly, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";
import { pageLimit, stopProof, usualLimit } from "./schemas.ts";

export function createListTasksTool({ desk, clock }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "list_tasks",
    title: "List the tasks",
    description:
      "List background tasks, newest first, with their state, progress and session_id, which use_agent takes as resume.",
    input: z.object({
      state: z.enum(taskStates).describe("Only tasks in this state").optional(),
      cli_name: z.string().describe("Only tasks of this agent").optional(),
      limit: pageLimit,
      before: z
        .string()
        .startsWith("task_", "expected a task_id")
        .describe("Only tasks older than this task_id")
        .optional(),
    }),
    output: {
      type: "object",
      properties: { tasks: { type: "array", items: itemSchema } },
      required: ["tasks"],
      additionalProperties: false,
    },
    annotations: looksOnly,
    async answer({ state, cli_name: agent, limit = usualLimit, before }) {
      const tasks = await (
        await desk()
      ).list({
        limit,
        ...(state === undefined ? {} : { states: [state] }),
        ...(agent === undefined ? {} : { agent }),
        ...(before === undefined ? {} : { beforeId: before }),
      });
      return { tasks: tasks.map((task) => rowOfTask(task, clock.now())) };
    },
  });
}

const itemSchema = {
  type: "object",
  properties: {
    task_id: { type: "string" },
    cli_name: { type: "string" },
    state: { type: "string", enum: taskStates },
    message: { type: "string", description: "The beginning of it" },
    cwd: { type: "string" },
    model: { type: "string" },
    created_at: { type: "string" },
    started_at: { type: "string" },
    completed_at: { type: "string" },
    active_at: { type: "string" },
    elapsed_time: { type: "integer", description: "Whole seconds from the order to its end, or until now" },
    progress: { type: "string" },
    session_id: { type: "string" },
    error: { type: "string" },
    stop_proof: stopProof,
    attempt: { type: "integer" },
    is_late: { type: "boolean", description: "True: reported after the task was declared lost" },
  },
  required: ["task_id", "cli_name", "state", "created_at", "elapsed_time"],
  additionalProperties: false,
} as const;
