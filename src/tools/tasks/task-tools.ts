import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { defineTool, type ToolDefinition } from "../../core/define-tool.ts";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";
import {
  answerOfAgents,
  answerOfCancel,
  mostWaitSeconds,
  orderOfUseAgent,
  readOutput,
  rowOfTask,
  usualWaitSeconds,
  waitForTask,
} from "../../core/task-answers.ts";
import { statusOfTask, type TaskDesk, type TaskDoor, type TaskState, taskStates } from "../../core/task.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";

/** The tools around background agents. Making them opens nothing. */
export function createTaskTools(parts: TaskToolParts): Tool[] {
  return [
    createUseAgentTool(parts),
    createGetTaskStatusTool(parts),
    createWaitForTaskTool(parts),
    createGetTaskOutputTool(parts),
    createListTasksTool(parts),
    createCancelTaskTool(parts),
    createListAgentsTool(parts),
  ];
}

export const taskToolNames: ReadonlySet<string> = new Set([
  "use_agent",
  "get_task_status",
  "wait_for_task",
  "get_task_output",
  "list_tasks",
  "cancel_task",
  "list_agents",
]);

function createGetTaskStatusTool({ desk, clock }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "get_task_status",
    description: "State or result of a task.",
    input: z.object({ task_id: taskId }),
    answer: async ({ task_id: id }) => statusOfTask(await (await desk()).get(id), clock.now()),
  });
}

function createListAgentsTool({ desk }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "list_agents",
    description: "Agents for use_agent.",
    input: z.object({}),
    answer: async () => answerOfAgents(await (await desk()).agents()),
  });
}

const pieceBytes = 16 * 1024;

function createGetTaskOutputTool({ desk }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "get_task_output",
    description: "What a task printed, and its answer so far.",
    input: z.object({
      task_id: taskId,
      from: z.int().optional().describe("Negative: from its end"),
    }),
    answer: async ({ task_id: id, from = 0 }) => readOutput(await desk(), id, { from, limit: pieceBytes }),
  });
}

/** Waits a while for a task. Giving up on the wait does nothing to the task. */
function createWaitForTaskTool({ desk, clock }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "wait_for_task",
    description: `get_task_status at its end, or after ${mostWaitSeconds} s.`,
    input: z.object({
      task_id: taskId,
      timeout: z.number().optional(),
    }),
    answer: async ({ task_id: id, timeout = usualWaitSeconds }, context) =>
      waitForTask({ desk: await desk(), clock }, { id, seconds: Math.min(timeout, mostWaitSeconds) }, context),
  });
}

function createCancelTaskTool({ desk }: TaskToolParts): Tool {
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

const shownTasks = 20;

function createListTasksTool({ desk, clock }: TaskToolParts): Tool {
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
function createUseAgentTool({ desk, door, runsHere }: TaskToolParts): Tool {
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

export interface TaskToolParts {
  /** Opened when a call first needs it. */
  readonly desk: () => Promise<TaskDesk>;
  readonly clock: Clock;
  readonly door: TaskDoor;
  /** False: workers run them, wherever those are. */
  readonly runsHere: boolean;
}

/** Every model reads this on every turn: what the name says is not said again. */
const taskId = z.string();

type Definition<Schema extends z.ZodObject> = Omit<ToolDefinition<Schema>, "run"> & {
  /** The answer as JSON. What is thrown becomes an error of the tool, in its sentence. */
  readonly answer: (input: z.output<Schema>, context: ToolContext) => Promise<object>;
};

/** A tool whose answer is one JSON object, the same through every door. */
function defineTaskTool<Schema extends z.ZodObject>({ answer, traits, ...rest }: Definition<Schema>): Tool {
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
const looksOnly = {
  traits: { readOnly: true },
  resources: () => [],
} as const;

function explain(thrown: unknown): { readonly ok: false; readonly error: string; readonly errorType: string } {
  const code = codeOf(thrown);
  // The words of `get_task_status` for a task that is not there.
  if (code === "TASK_UNKNOWN") return { ok: false, error: "Task ID not found or expired.", errorType: "not_found" };
  return { ok: false, error: messageOf(thrown), errorType: code === "TASK_INVALID" ? "invalid_input" : "io" };
}
