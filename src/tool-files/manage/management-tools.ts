import type { Tool } from "../../core/tool.ts";
import type { ToolHosts } from "../host/tool-host.ts";
import type { Workshop } from "../open-tool-files.ts";
import { createDeleteTool } from "./delete-tool-file.ts";
import { createStatusTools } from "./status-tools.ts";
import { createWriteTool } from "./write-tool-file.ts";

export interface ManagementParts {
  readonly workshop: Workshop;
  /** Relative to the workdir. */
  readonly shown: string;
  /** Those that run; null when none was ever needed. */
  readonly hosts: () => ToolHosts | null;
  /** The tool that writes any file: it knows how to do that safely, how to show it first, and how to take it back. */
  readonly writeFile: Tool;
}

export const managementNames: ReadonlySet<string> = new Set([
  "list_custom_tools",
  "reload_custom_tools",
  "tool_registry_status",
  "create_or_update_custom_tool_file",
  "delete_custom_tool_file",
]);

/** The tools that manage tools. */
export function createManagementTools(parts: ManagementParts): Tool[] {
  return [...createStatusTools(parts), createWriteTool(parts), createDeleteTool(parts)];
}
