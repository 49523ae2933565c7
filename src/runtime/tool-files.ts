export { tellToolFiles } from "./tell-tool-files.ts";
export { describeProblem, describeRelease, type FileStatus } from "../workshop/status.ts";
export type { McpStatus } from "./open-mcp-servers.ts";
