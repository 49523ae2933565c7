import { createHash } from "node:crypto";
import type { Tool, ToolTraits } from "../../core/tool.ts";
import { checkStructure } from "../../core/check-structure.ts";
import type { DefinitionPins, HeldDefinition } from "./definition-pins.ts";
import type { ListedTool } from "./list-tools.ts";
import type { McpServer } from "./mcp-server.ts";

/** What is known of a change of the tool's definition, and how it is shown. */
export interface DefinitionWatch {
  readonly pins: DefinitionPins;
  readonly showChange: (change: HeldDefinition) => string;
  /** Asks the server for its tools if it was not asked yet; never rejects. */
  readonly verify: () => Promise<void>;
}

/** A server's tool as any other. Its own words about risk count only where the person trusts them. */
export function createMcpTool(
  server: McpServer,
  listed: ListedTool,
  { name, watch }: { readonly name: string; readonly watch: DefinitionWatch | null },
): Tool {
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
    ...(watch === null
      ? { run: (input, context) => server.call(listed.name, input, context) }
      : watched(server, listed, watch)),
  };
}

/** A call runs only by a definition that is pinned, or that was in view when this very call was approved. */
function watched(
  server: McpServer,
  { name }: ListedTool,
  { pins, showChange, verify }: DefinitionWatch,
): Pick<Tool, "changed" | "preview" | "run"> {
  const { setting } = server;
  const sentence = `The MCP server "${setting.name}" has changed what it says of its tool "${name}"`;
  /** By the input of a call: the change that was known when it was judged. */
  const known = new WeakMap<object, string>();
  return {
    changed(input) {
      const change = pins.heldOf(setting, name);
      if (!change) return undefined;
      if (typeof input === "object" && input !== null) known.set(input, change.hash);
      return `${sentence}; look at the change and approve it here, or with: deckhand trust`;
    },
    preview(input) {
      const change = pins.heldOf(setting, name);
      if (!change) return Promise.resolve(undefined);
      return Promise.resolve({ text: JSON.stringify(input), diff: showChange(change) });
    },
    async run(input, context) {
      await verify();
      const change = pins.heldOf(setting, name);
      if (change) {
        const isApproved = typeof input === "object" && input !== null && known.get(input) === change.hash;
        if (!isApproved) {
          const hint = "Call it again to have the change approved, or approve it with: deckhand trust";
          return { ok: false, error: `${sentence}, so this call was not made.`, hint, errorType: "denied" };
        }
        pins.approve(change);
      }
      return server.call(name, input, context);
    },
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
