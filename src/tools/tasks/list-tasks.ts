import { z } from "zod";
import { RuntimeError } from "../../core/errors.ts";
import { rowOfTask } from "../../core/task-answers.ts";
import { taskStates, type TaskState } from "../../core/task.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, looksOnly, type TaskToolParts } from "./task-tool.ts";

const shownTasks = 20;

export function createListTasksTool({ desk, clock }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "list_tasks",
    description: "Tasks, newest first.",
    input: z.object({
      state: z.string().optional(),
      cli_name: z.string().optional(),
    }),
    async answer({ state, cli_name: agent }) {
      const tasks = await (
        await desk()
      ).list({
        limit: shownTasks,
        ...(state === undefined ? {} : { states: [readState(state)] }),
        ...(agent === undefined ? {} : { agent }),
      });
      return { tasks: tasks.map((task) => rowOfTask(task, clock.now())) };
    },
  });
}

/** Not in the schema: every model would read the seven words on every turn. */
function readState(given: string): TaskState {
  const state = taskStates.find((each) => each === given);
  if (state) return state;
  throw new RuntimeError(
    "TASK_INVALID",
    `${JSON.stringify(given)} is not a state; there are: ${taskStates.join(", ")}.`,
  );
}
