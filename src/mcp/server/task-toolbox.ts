import { z } from "zod";
import { codeOf, RuntimeError } from "../../core/errors.ts";
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
import { statusOfTask, taskStates } from "../../core/task.ts";
import {
  defineTaskTool,
  looksOnly,
  pageLimit,
  statusSchema,
  stopProof,
  taskId,
  type TaskTool,
  type TaskToolParts,
  usualLimit,
} from "./mcp-task-tool.ts";
import { offerTool } from "./offer-tool.ts";
import type { Toolbox } from "./offered-tool.ts";

/** The tools around background agents. Listing them opens nothing. */
export function createTaskToolbox(parts: TaskToolParts): Toolbox {
  const offered = [
    offerTool(createUseAgentTool(parts), { startsTask: true }),
    ...[
      createGetTaskStatusTool(parts),
      createWaitForTaskTool(parts),
      createGetTaskOutputTool(parts),
      createListTasksTool(parts),
      createCancelTaskTool(parts),
      createListAgentsTool(parts),
    ].map((tool) => offerTool(tool)),
  ];
  return {
    list: () => Promise.resolve(offered),
    find: (name) => Promise.resolve(offered.find(({ definition }) => definition.name === name)),
  };
}

function createGetTaskStatusTool({ desk, clock }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "get_task_status",
    title: "Ask how a task is",
    description:
      "Say how a background task is: running, completed with its result, failed with the reason, or not_found. Answers at once; wait_for_task saves asking again and again.",
    input: z.object({ task_id: taskId }),
    output: statusSchema,
    annotations: looksOnly,
    answer: async ({ task_id: id }) => statusOfTask(await (await desk()).get(id), clock.now()),
  });
}

/** Waits a while for a task. Giving up on the wait does nothing to the task. */
function createWaitForTaskTool({ desk, clock }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "wait_for_task",
    title: "Wait for a task",
    description: `Wait until a background task has ended, at most ${mostWaitSeconds} s, and say how it is, as get_task_status does. Still running? Call it again; the task goes on either way.`,
    input: z.object({
      task_id: taskId,
      timeout: z
        .number()
        .min(0, "expected a number of seconds, 0 or more")
        .max(mostWaitSeconds, `expected at most ${mostWaitSeconds} seconds; call it again to wait longer`)
        .describe(`Seconds to wait at most; ${usualWaitSeconds} when left out`)
        .optional(),
    }),
    output: statusSchema,
    annotations: looksOnly,
    answer: async ({ task_id: id, timeout: seconds = usualWaitSeconds }, context) =>
      waitForTask({ desk: await desk(), clock }, { id, seconds }, context),
  });
}

function createListAgentsTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "list_agents",
    title: "List the agents",
    description: "List the agents that use_agent can start, and which of them are installed here.",
    input: z.object({}),
    output: {
      type: "object",
      properties: {
        agents: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string", description: "The cli_name for use_agent" },
              title: { type: "string" },
              installed: { type: "boolean" },
              install: { type: "string", description: "How to get it" },
              can_resume: { type: "boolean", description: "Whether use_agent can go on with one of its sessions" },
              limit: { type: "integer", description: "How many of its tasks run at once; more wait for their turn" },
            },
            required: ["name", "title", "installed", "install", "can_resume", "limit"],
            additionalProperties: false,
          },
        },
      },
      required: ["agents"],
      additionalProperties: false,
    },
    annotations: looksOnly,
    answer: async () => answerOfAgents(await (await desk()).agents()),
  });
}

const usualBytes = 16 * 1024;
const mostBytes = 1024 * 1024;

function createGetTaskOutputTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "get_task_output",
    title: "Read a task's output",
    description:
      "Read what a background task has printed so far, a part at a time, its answer as far as it has come, its state and its session_id. Go on from next.",
    input: z.object({
      task_id: taskId,
      from: z
        .int()
        .describe("Where to begin, in bytes; a negative number counts from the end; 0 when left out")
        .optional(),
      limit: z
        .int()
        .positive("expected a number of bytes greater than 0")
        .max(mostBytes, `expected at most ${mostBytes} bytes; go on from next to read more`)
        .describe(`At most so many bytes; ${usualBytes} when left out`)
        .optional(),
    }),
    output: {
      type: "object",
      properties: {
        text: { type: "string", description: "What it printed, without secrets" },
        from: { type: "integer" },
        next: { type: "integer", description: "Where to go on reading" },
        total_bytes: { type: "integer" },
        answer: { type: "string", description: "As far as it has come; of a long one the beginning and the end" },
        error_text: { type: "string", description: "The end of what it printed as errors" },
        state: { type: "string", enum: taskStates, description: "Once it has ended, nothing comes behind total_bytes" },
        progress: { type: "string", description: "The latest it told of itself" },
        session_id: { type: "string", description: "use_agent takes it as resume" },
      },
      required: ["text", "from", "next", "total_bytes", "answer", "error_text", "state"],
      additionalProperties: false,
    },
    annotations: looksOnly,
    async answer({ task_id: id, from = 0, limit = usualBytes }) {
      try {
        return await readOutput(await desk(), id, { from, limit });
      } catch (thrown) {
        throw explainUnknown(thrown);
      }
    },
  });
}

function createCancelTaskTool({ desk }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "cancel_task",
    title: "Cancel a task",
    description:
      "Stop a background task and everything it started; answers when that is done. The state is cancelled, or how it had ended before; stop_proof says how it is known that nothing of it is left.",
    input: z.object({ task_id: taskId, reason: z.string().describe("Why; it is kept with the task").optional() }),
    output: {
      type: "object",
      properties: {
        task_id: { type: "string" },
        state: { type: "string", enum: taskStates },
        stop_proof: stopProof,
        error: { type: "string", description: "Why it ended without a result" },
      },
      required: ["task_id", "state"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async answer({ task_id: id, reason }) {
      try {
        return answerOfCancel(await (await desk()).cancel(id, reason || "by an MCP client"));
      } catch (thrown) {
        throw explainUnknown(thrown);
      }
    },
  });
}

/** The words of `get_task_status` for a task that is not there. */
function explainUnknown(thrown: unknown): unknown {
  if (codeOf(thrown) !== "TASK_UNKNOWN") return thrown;
  return new RuntimeError("TASK_UNKNOWN", "Task ID not found or expired.", { cause: thrown });
}

const longestSeconds = 24 * 60 * 60;

/** Hands a job to another agent; the answer comes before the job has begun. */
function createUseAgentTool({ desk }: TaskToolParts): TaskTool {
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

function createListTasksTool({ desk, clock }: TaskToolParts): TaskTool {
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
