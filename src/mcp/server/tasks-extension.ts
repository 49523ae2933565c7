import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { isFinalTask, type Task } from "../../core/task.ts";
import { statusOfTask } from "../../core/task-status.ts";
import { timeToWire } from "../../core/wire.ts";
import type { TaskDesk } from "./mcp-task-desk.ts";
import type { TaskToolParts } from "./mcp-task-tool.ts";

/** The protocol's own tasks (SEP-2663, revision 2026-07-28): the same tasks, from the same store, in other words. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

const pollIntervalMs = 1000;
/** An acknowledgement is due now; the task may take a while to stop. */
const acknowledgeMs = 1000;
const anyParams = { params: z.looseObject({}) };

/** Each request says for itself what its client can do. */
export function declaresTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[tasksExtension] !== undefined;
}

/** The answer to a call that started a task, for a client that follows it by `tasks/get`. */
export async function createdTask(answer: CallToolResult, desk: TaskDesk): Promise<CallToolResult> {
  const id = (answer.structuredContent as { readonly task_id?: unknown } | undefined)?.task_id;
  const task = typeof id === "string" ? await desk.get(id) : undefined;
  if (answer.isError === true || !task) return answer;
  // The type knows the results of core only; this one belongs to the extension.
  return { resultType: "task", ...commonFields(task, desk) } as unknown as CallToolResult;
}

export function addTaskMethods(server: Server, { desk: open, clock }: TaskToolParts): void {
  // Who may ask is looked at before what is asked, so the schema takes anything.
  const handle = (method: string, answer: (task: Task, desk: TaskDesk) => object | Promise<object>): void =>
    server.setRequestHandler(method, anyParams, async (params, context) => {
      if (!declaresTasks(context)) {
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [tasksExtension]: {} } },
        });
      }
      const desk = await open();
      const id = params["taskId"];
      const task = typeof id === "string" ? await desk.get(id) : undefined;
      if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Task ID not found or expired.");
      return { ...(await answer(task, desk)) };
    });
  handle("tasks/get", detailedTask);
  // No task ever asks for input, so there is nothing that an answer could belong to.
  handle("tasks/update", () => ({}));
  handle("tasks/cancel", async ({ id }, desk) => {
    await atMost(desk.cancel(id, "by an MCP client"), acknowledgeMs, clock);
    return {};
  });
}

async function atMost(work: Promise<unknown>, limitMs: number, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = clock.after(limitMs, resolve);
  try {
    await Promise.race([work, promise]);
  } finally {
    stop();
    // Who does not wait for it any more finds out by `tasks/get`.
    work.catch(() => undefined);
  }
}

function detailedTask(task: Task, desk: TaskDesk): object {
  const common = commonFields(task, desk);
  const status = statusOfTask(task, task.createdAt);
  if (task.state === "lost") {
    return {
      ...common,
      error: { code: ProtocolErrorCode.InternalError, message: "error" in status ? status.error : "" },
    };
  }
  if (common.status !== "completed") return common;
  const text = "result" in status ? status.result : "error" in status ? status.error : "";
  const structuredContent = {
    task_id: task.id,
    ...(task.state === "completed" ? { result: text } : {}),
    ...(task.sessionId === null ? {} : { session_id: task.sessionId }),
  };
  const result = {
    resultType: "complete",
    content: [{ type: "text", text }],
    structuredContent,
    isError: task.state !== "completed",
  };
  return { ...common, result };
}

function commonFields(task: Task, desk: TaskDesk): { readonly status: string } & Record<string, unknown> {
  const statusMessage = isFinalTask(task.state)
    ? task.error
    : (task.progress ?? (task.state === "queued" ? "Waiting for its turn" : null));
  return {
    taskId: task.id,
    status: protocolStatus[task.state],
    ...(statusMessage === null ? {} : { statusMessage }),
    createdAt: timeToWire(task.createdAt),
    lastUpdatedAt: timeToWire(task.completedAt ?? task.activeAt ?? task.startedAt ?? task.createdAt),
    // Counted from creation there, from the end here: while it runs it does not expire.
    ttlMs: task.completedAt === null ? null : task.completedAt - task.createdAt + desk.ttlMs,
    pollIntervalMs,
  };
}

/** An agent that failed is a tool that answered with an error; `failed` is for what nobody could answer. */
const protocolStatus = {
  queued: "working",
  running: "working",
  completed: "completed",
  failed: "completed",
  timeout: "completed",
  cancelled: "cancelled",
  lost: "failed",
} as const;
