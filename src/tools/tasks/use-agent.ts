import { z } from "zod";
import { orderOfUseAgent } from "../../core/use-agent-order.ts";
import type { Tool } from "../../core/tool.ts";
import { defineTaskTool, type TaskToolParts } from "./task-tool.ts";

/** What is wrong with a value, the task manager says: every model reads this on every turn, so it is short. */
const useAgentInput = z.object({
  cli_name: z.string().describe("claude, codex, …"),
  message: z.string().describe("The whole job: it knows nothing of this conversation"),
  system_prompt: z.string().optional(),
  args: z.array(z.string()).optional(),
  timeout: z.number().optional().describe("Seconds"),
  cwd: z.string().optional(),
  model: z.string().optional(),
  resume: z.string().optional().describe("session_id of an earlier task"),
});

/** Hands a job to another agent; the answer comes before the job has begun. */
export function createUseAgentTool({ desk, door }: TaskToolParts): Tool {
  return defineTaskTool({
    name: "use_agent",
    description:
      "Hand a job to another AI agent in the background; gives a task_id at once, and a note when it has ended.",
    // What the agent does is bound by its own permission checks only, and can be anything.
    traits: { readOnly: false, risk: "high", idempotent: false, replay: "never" },
    input: useAgentInput,
    preview: async (input, { workdir }) => ({ text: describeOrder(input, workdir) }),
    async answer(input) {
      const task = await (await desk()).start(orderOfUseAgent(input, door));
      return { task_id: task.id };
    },
  });
}

/** All that makes a difference to the person who is asked. */
function describeOrder(input: z.output<typeof useAgentInput>, workdir: string): string {
  const facts: [string, string | undefined][] = [
    ["Model", input.model],
    ["Arguments", input.args?.length ? JSON.stringify(input.args) : undefined],
    ["Session", input.resume],
    ["System prompt", input.system_prompt],
  ];
  return [
    `Start ${input.cli_name} in ${input.cwd ?? workdir}, under its own permission rules.`,
    ...facts.flatMap(([name, fact]) => (fact === undefined ? [] : [`${name}: ${fact}`])),
    "",
    input.message,
  ].join("\n");
}
