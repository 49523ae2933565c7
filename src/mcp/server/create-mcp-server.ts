import { ProtocolError, ProtocolErrorCode, Server, type jsonSchemaValidator } from "@modelcontextprotocol/server";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { failedCall, type Toolbox } from "./offered-tool.ts";
import { createProgressReporter } from "./report-progress.ts";
import type { TaskDesk } from "./mcp-task-desk.ts";
import { addTaskMethods, createdTask, declaresTasks, tasksExtension } from "./tasks-extension.ts";

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
