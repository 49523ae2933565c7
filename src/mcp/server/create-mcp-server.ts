import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type jsonSchemaValidator,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isFinalTask, statusOfTask, type Task } from "../../core/task.ts";
import { clipText, nearest } from "../../core/text.ts";
import type { Progress } from "../../core/tool.ts";
import { timeToWire } from "../../core/wire.ts";
import type { TaskDesk, TaskToolParts } from "./mcp-task-tool.ts";
import { failedCall, type Toolbox } from "./offered-tool.ts";

export interface ServerParts {
  readonly toolbox: Toolbox;
  /** Opened when a call first needs it. */
  readonly desk: () => Promise<TaskDesk>;
  readonly clock: Clock;
  readonly version: string;
  /** What a client passes on to its model about all this. */
  readonly instructions?: string;
}

/** `legacy`: a client that begins with `initialize`; `modern`: one of 2026-07-28, whose every request stands alone. */
export type Era = "legacy" | "modern";

/** One server for one connection, or for one request where there are no connections. It remembers nothing. */
export function createServer(parts: ServerParts, era: Era): Server {
  const isModern = era === "modern";
  const server = new Server(
    { name: "deckhand", title: "Deckhand", version: parts.version },
    {
      capabilities: { tools: {}, ...(isModern ? { extensions: { [tasksExtension]: {} } } : {}) },
      ...(parts.instructions === undefined ? {} : { instructions: parts.instructions }),
      jsonSchemaValidator: noValidator,
    },
  );
  server.setRequestHandler("tools/list", async () => {
    const tools = await parts.toolbox.list();
    return { tools: tools.map(({ definition }) => definition) };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = await findTool(parts.toolbox, params.name);
    const progress = createProgressReporter(context, parts.clock);
    const { signal } = context.mcpReq;
    try {
      const answer = await tool.call(params.arguments ?? {}, { signal, progress });
      return tool.startsTask && isModern && declaresTasks(context)
        ? await createdTask(answer, await parts.desk())
        : answer;
    } catch (thrown) {
      if (thrown instanceof ProtocolError) throw thrown;
      return failedCall(messageOf(thrown));
    }
  });
  if (isModern) addTaskMethods(server, parts);
  return server;
}

async function findTool(toolbox: Toolbox, name: string): Promise<NonNullable<Awaited<ReturnType<Toolbox["find"]>>>> {
  const found = await toolbox.find(name);
  if (found) return found;
  const names = (await toolbox.list()).map(({ definition }) => definition.name);
  const [meant] = nearest(name, names, 1);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 200)}${hint}`);
}

/** It checks answers to questions, and this server asks none; the one that comes with the package takes long to make. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error("This server asks its clients nothing, so there is no answer to check.");
  },
};

/** The protocol's own tasks (SEP-2663, revision 2026-07-28): the same tasks, from the same store, in other words. */
const tasksExtension = "io.modelcontextprotocol/tasks";

const pollIntervalMs = 1000;
/** An acknowledgement is due now; the task may take a while to stop. */
const acknowledgeMs = 1000;
const anyParams = { params: z.looseObject({}) };

/** Each request says for itself what its client can do. */
function declaresTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[tasksExtension] !== undefined;
}

/** The answer to a call that started a task, for a client that follows it by `tasks/get`. */
async function createdTask(answer: CallToolResult, desk: TaskDesk): Promise<CallToolResult> {
  const id = (answer.structuredContent as { readonly task_id?: unknown } | undefined)?.task_id;
  const task = typeof id === "string" ? await desk.get(id) : undefined;
  if (answer.isError === true || !task) return answer;
  // The type knows the results of core only; this one belongs to the extension.
  return { resultType: "task", ...commonFields(task, desk) } as unknown as CallToolResult;
}

function addTaskMethods(server: Server, { desk: open, clock }: TaskToolParts): void {
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

/** A command can print a thousand lines a second; nobody reads that many notifications. */
const leastMs = 200;
const longestMessage = 300;

/** Passes progress on to a client that gave a token for it, and to no other. */
function createProgressReporter({ mcpReq }: ServerContext, clock: Clock): (update: Progress) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let reported = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (update) => {
    const now = clock.monotonic();
    if (mcpReq.signal.aborted || now - toldAt < leastMs) return;
    toldAt = now;
    // It has to grow, whatever a tool says of itself.
    reported = update.done !== undefined && update.done > reported ? update.done : reported + 1;
    const message = progressMessage(update);
    const params = {
      progressToken,
      progress: reported,
      ...(update.total !== undefined && update.total >= reported ? { total: update.total } : {}),
      ...(message === "" ? {} : { message }),
    };
    // Whoever does not listen any more misses nothing.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

function progressMessage({ message, output }: Progress): string {
  const text = message ?? output?.trimEnd().split("\n").at(-1) ?? "";
  return clipText(text, longestMessage);
}
