import type { Tool } from "../../core/tool.ts";
import type { Runtime } from "../runtime.ts";
import { type McpStatus } from "../open-mcp-servers.ts";
import { describeProblem, type FileStatus } from "../../tool-files/tool-file-status.ts";

/** Where a tool comes from that is not built in. */
export type Origin =
  | { readonly kind: "file"; readonly status: FileStatus }
  | { readonly kind: "server"; readonly status: McpStatus };

export function originOf(runtime: Runtime, { name, traits }: Tool): Origin | undefined {
  const file = runtime.customTools().files.find(({ tool }) => tool === name);
  if (file) return { kind: "file", status: file };
  const server = runtime.mcpServers().find((each) => traits.category === `mcp:${each.name}`);
  // What a program said as it ended may hold what it was given.
  return (
    server && { kind: "server", status: { ...server, problem: server.problem && runtime.maskText(server.problem) } }
  );
}

/** Keys of `tools --json` beside those that every tool has. */
export function originToWire(origin: Origin): Readonly<Record<string, string | null>> {
  if (origin.kind === "file") {
    const { status } = origin;
    return { file: status.file, state: status.state, release: status.release, problem: describeProblem(status) };
  }
  const { status } = origin;
  return { server: status.name, state: describeState(status), problem: status.problem };
}

/** How a server stands, as a person says it. */
export function describeState({ state }: McpStatus): string {
  return states[state];
}

const states: Readonly<Record<McpStatus["state"], string>> = {
  idle: "not started",
  starting: "starting",
  ready: "connected",
  failed: "failed",
};
