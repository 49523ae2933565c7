import { createHash } from "node:crypto";
import type { Tool, ToolTraits } from "../../core/tool.ts";
import { checkStructure } from "../check-structure.ts";
import type { ListedTool } from "./list-tools.ts";
import type { McpServer } from "./mcp-server.ts";

/** A server's tool as any other. Its own words about risk count only where the person trusts them. */
export function createMcpTool(server: McpServer, listed: ListedTool, name: string): Tool {
  const { setting } = server;
  const traits = traitsOf(listed, setting.trustsAnnotations, setting.name);
  return {
    name,
    description: listed.description || `The tool "${listed.name}" of the MCP server "${setting.name}".`,
    inputSchema: listed.inputSchema,
    traits,
    version: `${name}@${hashOf(listed)}`,
    ...(setting.timeoutMs === null ? {} : { timeoutMs: setting.timeoutMs }),
    // As long as a server and all that it started may take to end.
    stopMs: 15_000,
    check: (input) => checkStructure(listed.inputSchema, input),
    resources: () => [{ kind: "everything", access: traits.readOnly ? "read" : "write" }],
    run: (input, context) => server.call(listed.name, input, context),
  };
}

function traitsOf({ hints }: ListedTool, isTrusted: boolean, server: string): ToolTraits {
  const { readOnly = false, destructive = true, idempotent = false } = isTrusted ? hints : {};
  return {
    readOnly,
    risk: readOnly ? "low" : destructive ? "high" : "medium",
    idempotent: readOnly || idempotent,
    category: `mcp:${server}`,
    offeredIn: ["agent", "mcp", "schedule"],
    replay: readOnly ? "safe" : idempotent ? "check" : "never",
  };
}

function hashOf(listed: ListedTool): string {
  return createHash("sha256").update(JSON.stringify(listed)).digest("hex").slice(0, 12);
}
