import { createCatalog } from "../engine/catalog.ts";
import { childEnvironment } from "../process/run/child-environment.ts";
import type { Processes } from "../process/processes.ts";
import { countOf } from "../tools/format-bytes.ts";
import { openMcpServers, type OpenedMcpServers } from "../runtime/open-mcp-servers.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

/** Starts each MCP server as a call would, and says what became of it. Nothing is kept of it. */
export async function checkMcpServers(
  processes: Processes,
  { configuration, folders, env, clock }: Subject,
  withinMs: number,
): Promise<readonly Check[]> {
  const servers = await openMcpServers({
    configuration,
    workdir: folders.workdir,
    stateFolder: folders.state,
    isKept: false,
    catalog: createCatalog([]),
    processes,
    clock,
    env,
    childEnv: childEnvironment(env, { add: configuration.tools.environment }),
  });
  try {
    await servers.refresh(withinMs);
    return servers.status().map(describe);
  } finally {
    await servers.close();
  }
}

function describe(server: ReturnType<OpenedMcpServers["status"]>[number]): Check {
  const name = `mcp ${server.name}`;
  if (server.tools === null) {
    const what = server.problem ?? `The MCP server "${server.name}" (${server.where}) did not answer yet.`;
    return problem(name, what, `Correct "mcpServers.${server.name}", or switch it off with "disabled": true.`);
  }
  const what = `${countOf(server.tools, "tool")} over MCP ${server.protocolVersion ?? "of an unknown version"} (${server.where}).`;
  if (server.leftOut.length === 0) return ok(name, what);
  return warning(name, `${what} ${server.leftOut.join(" ")}`, "Ask whoever makes the server to correct that.");
}
