import { offerTool } from "./offer-tool.ts";
import type { Toolbox } from "./offered-tool.ts";
import type { TaskToolParts } from "./mcp-task-tool.ts";
import { createCancelTaskTool } from "./tools/mcp-cancel-task.ts";
import { createGetTaskOutputTool } from "./tools/mcp-get-task-output.ts";
import { createGetTaskStatusTool } from "./tools/mcp-get-task-status.ts";
import { createListAgentsTool } from "./tools/mcp-list-agents.ts";
import { createListTasksTool } from "./tools/mcp-list-tasks.ts";
import { createUseAgentTool } from "./tools/mcp-use-agent.ts";
import { createWaitForTaskTool } from "./tools/mcp-wait-for-task.ts";

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
