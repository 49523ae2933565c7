import { isBridgeTool } from "../agent/selection/core-tools.ts";
import type { Runtime } from "./runtime.ts";

export { tellToolFiles } from "./tell-tool-files.ts";
export { describeProblem, describeRelease, type FileStatus } from "../workshop/status.ts";
export type { McpStatus } from "./open-mcp-servers.ts";

/** How many tools an agent has here. Those that only find and run others are not counted. */
export function countTools({ tools }: Pick<Runtime, "tools">): number {
  return tools.list("agent").filter((tool) => !isBridgeTool(tool)).length;
}
