import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { codeOf, RuntimeError } from "../../core/errors.ts";
import { orderOfUseAgent } from "../../core/use-agent-request.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { defineTaskTool, type TaskToolParts } from "./task-tool.ts";

/** What is wrong with a value, the task manager says: every model reads this on every turn, so it is short. */
const useAgentInput = z.object({
  cli_name: z.string().describe("claude, codex, …"),
  message: z.string().describe("The whole job: it sees nothing else"),
  system_prompt: z.string().optional(),
  args: z.array(z.string()).optional(),
  timeout: z.number().optional().describe("Seconds"),
  cwd: z.string().optional(),
  model: z.string().optional(),
  resume: z.string().optional().describe("An earlier session_id"),
  idempotency_key: z.string().optional(),
  idempotent: z.boolean().optional(),
});

/** Hands a job to another agent; the answer comes before the job has begun. */
export function createUseAgentTool({ desk, door, runsHere }: TaskToolParts): Tool {
  return defineTaskTool({
    name: "use_agent",
    description: "Give another AI agent a background job: a task_id at once, a note at its end.",
    // What the agent does is bound by its own permission checks only, and can be anything.
    traits: { readOnly: false, risk: "high", idempotent: false, replay: "never" },
    input: useAgentInput,
    preview: async (input, { workdir }) => {
      const where = runsHere ? (input.cwd ?? workdir) : `${input.cwd ?? "the workdir"} of a worker`;
      return { text: describeOrder(input, where) };
    },
    async answer(input, context) {
      const order = orderOfUseAgent(input, door);
      if (input.cwd !== undefined) assertAsApproved(input.cwd, context);
      // A folder outside the workspace is asked about whatever the rules say: where this runs, it was approved.
      const task = await (await desk()).start({ ...order, mayLeaveWorkspace: true });
      return { task_id: task.id };
    },
  });
}

/** Between the approval and the start somebody may put a link in the place of the folder. */
function assertAsApproved(cwd: string, { workdir, recheck }: ToolContext): void {
  let real: string;
  try {
    real = realpathSync(resolve(workdir, cwd));
  } catch (thrown) {
    // What is wrong with it, the task manager says.
    if (codeOf(thrown) !== undefined) return;
    throw thrown;
  }
  const objection = recheck?.(cwd, real);
  if (objection !== undefined) throw new RuntimeError("TASK_INVALID", objection);
}

/** All that makes a difference to the person who is asked. */
function describeOrder(input: z.output<typeof useAgentInput>, where: string): string {
  const facts: [string, string | undefined][] = [
    ["Model", input.model],
    ["Arguments", input.args?.length ? JSON.stringify(input.args) : undefined],
    ["Session", input.resume],
    ["System prompt", input.system_prompt],
    ["Should it get lost", input.idempotent === true ? "it is started again" : undefined],
  ];
  return [
    `Start ${input.cli_name} in ${where}, under its own permission rules.`,
    ...facts.flatMap(([name, fact]) => (fact === undefined ? [] : [`${name}: ${fact}`])),
    "",
    input.message,
  ].join("\n");
}
