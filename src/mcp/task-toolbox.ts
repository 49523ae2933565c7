import { offerTool } from "./offer-tool.ts";
import type { Toolbox } from "./offered-tool.ts";
import type { TaskToolParts } from "./task-tool.ts";
import { createCancelTaskTool } from "./tools/cancel-task.ts";
import { createGetTaskOutputTool } from "./tools/get-task-output.ts";
import { createGetTaskStatusTool } from "./tools/get-task-status.ts";
import { createListAgentsTool } from "./tools/list-agents.ts";
import { createListTasksTool } from "./tools/list-tasks.ts";
import { createUseAgentTool } from "./tools/use-agent.ts";
import { createWaitForTaskTool } from "./tools/wait-for-task.ts";

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
