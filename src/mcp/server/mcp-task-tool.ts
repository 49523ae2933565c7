import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { defineTool } from "../../core/define-tool.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/json.ts";
import type { TaskDesk as Desk } from "../../core/task.ts";
import type { Tool, ToolContext, ToolTraits } from "../../core/tool.ts";

/** A tool of this door's own: what every tool is, and what the protocol wants to be told beside that. */
export interface TaskTool {
  readonly tool: Tool;
  readonly title: string;
  readonly outputSchema: JsonSchema;
  readonly annotations: Annotations;
}

export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface TaskToolParts {
  /** Opened when a call first needs it. */
  readonly desk: () => Promise<TaskDesk>;
  readonly clock: Clock;
}

export interface TaskToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: JsonSchema;
  readonly annotations: Annotations;
  /** The answer as JSON. A RuntimeError becomes an error of the tool, in its sentence. */
  answer(input: z.output<Schema>, context: ToolContext): Promise<object>;
}

export function defineTaskTool<Schema extends z.ZodObject>(definition: TaskToolDefinition<Schema>): TaskTool {
  const { name, title, description, input, output, annotations } = definition;
  const tool = defineTool({
    name,
    description,
    input,
    traits: traitsOf(annotations),
    async run(given, context) {
      try {
        const data = await definition.answer(given, context);
        return { ok: true, output: JSON.stringify(data), data };
      } catch (thrown) {
        return {
          ok: false,
          error: messageOf(thrown),
          errorType: codeOf(thrown) === "TASK_INVALID" ? "invalid_input" : "io",
        };
      }
    },
  });
  return { tool, title, outputSchema: output, annotations };
}

/** The task goes on while someone only looks at it. */
export const looksOnly: Annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

function traitsOf({ readOnlyHint, idempotentHint }: Annotations): Partial<ToolTraits> {
  return { readOnly: readOnlyHint, idempotent: idempotentHint, category: "tasks", offeredIn: ["agent", "mcp"] };
}

export const taskId = z.string().describe("The task_id that use_agent gave");

export const usualLimit = 20;
const mostAtOnce = 100;

/** Of a list that is read page after page. */
export const pageLimit = z
  .int()
  .positive("expected a number greater than 0")
  .max(mostAtOnce, `expected at most ${mostAtOnce}; go on with before to see more`)
  .describe(`At most so many; ${usualLimit} when left out`)
  .optional();

export const stopProof: JsonSchema = {
  type: "string",
  description: "Of one that was stopped: how it is known that nothing of it runs; none when it is not",
};

/** The root of an output schema has to be one object, so the four shapes are told by their keys. */
export const statusSchema: JsonSchema = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["running", "completed", "failed", "not_found"] },
    elapsed_time: { type: "integer", minimum: 0, description: "running: whole seconds since it was ordered" },
    result: { type: "string", description: "completed: the agent's answer" },
    error: { type: "string", description: "failed, not_found: the reason" },
  },
  required: ["status"],
  additionalProperties: false,
};

/** All that this room needs of background tasks. Whoever opens the door fills it. */
export interface TaskDesk extends Desk {
  /** How long a task is kept after it has ended. */
  readonly ttlMs: number;
}
