import { z } from "zod";
import type { JsonSchema } from "../../../core/json.ts";

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
