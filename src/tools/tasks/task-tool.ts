import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { defineTool, type ToolDefinition } from "../../core/define-tool.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { TaskDesk, TaskDoor } from "../../core/task.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";

export interface TaskToolParts {
  /** Opened when a call first needs it. */
  readonly desk: () => Promise<TaskDesk>;
  readonly clock: Clock;
  readonly door: TaskDoor;
  /** False: workers run them, wherever those are. */
  readonly runsHere: boolean;
}

/** Every model reads this on every turn: what the name says is not said again. */
export const taskId = z.string();

type Definition<Schema extends z.ZodObject> = Omit<ToolDefinition<Schema>, "run"> & {
  /** The answer as JSON. What is thrown becomes an error of the tool, in its sentence. */
  readonly answer: (input: z.output<Schema>, context: ToolContext) => Promise<object>;
};

/** A tool whose answer is one JSON object, the same through every door. */
export function defineTaskTool<Schema extends z.ZodObject>({ answer, traits, ...rest }: Definition<Schema>): Tool {
  return defineTool({
    ...rest,
    traits: { category: "tasks", offeredIn: ["agent", "schedule"], ...traits },
    async run(input, context) {
      try {
        const data = await answer(input, context);
        return { ok: true, output: JSON.stringify(data), data };
      } catch (thrown) {
        return explain(thrown);
      }
    },
  });
}

/** It changes nothing that others could see, and touches nothing that other calls do. */
export const looksOnly = {
  traits: { readOnly: true },
  resources: () => [],
} as const;

function explain(thrown: unknown): { readonly ok: false; readonly error: string; readonly errorType: string } {
  const code = codeOf(thrown);
  // The words of `get_task_status` for a task that is not there.
  if (code === "TASK_UNKNOWN") return { ok: false, error: "Task ID not found or expired.", errorType: "not_found" };
  return { ok: false, error: messageOf(thrown), errorType: code === "TASK_INVALID" ? "invalid_input" : "io" };
}
