import { z } from "zod";
import { orderOfUseAgent } from "../../../core/use-agent-request.ts";
import { defineTaskTool, type TaskTool, type TaskToolParts } from "../mcp-task-tool.ts";

const longestSeconds = 24 * 60 * 60;

/** Hands a job to another agent; the answer comes before the job has begun. */
export function createUseAgentTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "use_agent",
    title: "Start a background agent",
    description:
      "Hand a job to another AI agent that works in the background, and get a task_id at once. Then call wait_for_task (up to 45 s at a time) or get_task_status with it. list_agents says which agents there are. The task goes on when this connection ends.",
    input: z.object({
      cli_name: z.string().min(1, notEmpty).describe("Which agent, such as claude, codex or gemini; see list_agents"),
      message: z.string().min(1, notEmpty).describe("The whole job: the agent knows nothing of this conversation"),
      system_prompt: z
        .string()
        .describe("Added to the agent's own system prompt, or said before the message where it takes none")
        .optional(),
      args: z
        .array(z.string())
        .describe('Further arguments for its CLI, each one as it is: ["--flag", "value"]')
        .optional(),
      timeout: z
        .number()
        .positive("expected a number of seconds greater than 0")
        .max(longestSeconds, `expected at most ${longestSeconds} seconds (24 hours)`)
        .describe("Seconds after which it is stopped")
        .optional(),
      cwd: z.string().describe("The folder it works in; the server's workdir when left out").optional(),
      model: z.string().describe("The model it uses, by the name its CLI knows").optional(),
      resume: z.string().describe("The session_id of an earlier task of the same agent, to go on with").optional(),
      idempotency_key: z
        .string()
        .describe("Two calls with one key are one task; another job needs another key")
        .optional(),
      idempotent: z
        .boolean()
        .describe("Doing the job twice is the same as once: should the task get lost, it is started again")
        .optional(),
    }),
    output: {
      type: "object",
      properties: {
        task_id: { type: "string" },
        result: { type: "string", description: "Only where the client follows the task by MCP's own task protocol" },
        session_id: { type: "string" },
      },
      required: ["task_id"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async answer(input) {
      const task = await (await desk()).start(orderOfUseAgent(input, "mcp"));
      return { task_id: task.id };
    },
  });
}

const notEmpty = "expected a text that is not empty";
