import { systemClock } from "../../../../src/core/clock.ts";
import type { ServerParts } from "../../../../src/mcp/server/create-mcp-server.ts";
import type { TaskDesk } from "../../../../src/mcp/server/mcp-task-tool.ts";
import { createTaskToolbox } from "../../../../src/mcp/server/task-toolbox.ts";

export function partsOf(desk: TaskDesk, more: Partial<ServerParts> = {}): ServerParts {
  const parts = { desk: () => Promise.resolve(desk), clock: systemClock };
  return { ...parts, toolbox: createTaskToolbox(parts), version: "0.0.0", ...more };
}
