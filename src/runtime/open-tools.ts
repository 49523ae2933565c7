import type { Catalog } from "../engine/catalog.ts";
import { childEnvironment, whyNeverPassed } from "../process/child-environment.ts";
import type { Environment } from "./load-configuration.ts";
import { openCatalog, tellUnknown, type CatalogParts } from "./open-catalog.ts";
import { openMcpServers, type OpenedMcpServers } from "./open-mcp-servers.ts";
import { isSafeMode, safeModeSentence } from "./safe-mode.ts";
import { openWorkshop, type OpenedWorkshop, type WorkshopParts } from "./open-workshop.ts";

export interface ToolsParts extends CatalogParts, Pick<WorkshopParts, "toolFolder" | "trust" | "clock" | "releases"> {
  readonly env: Environment;
  /** Before any tool file is looked at; waited for. */
  readonly onWorkshop: (workshop: OpenedWorkshop, childEnv: OpenedTools["childEnv"]) => Promise<void>;
}

/** Every tool there is: built in, of the program, of files, of servers. */
export interface OpenedTools {
  readonly catalog: Catalog;
  /** What child processes get of the environment. */
  readonly childEnv: Readonly<Record<string, string>>;
  readonly workshop: OpenedWorkshop;
  readonly mcp: OpenedMcpServers;
  /** Only what is built in, or the program's own. */
  readonly isSafeMode: boolean;
  /** Before a call: a promise when its tool must be loaded or asked for first. */
  prepareFor(tool: string): Promise<void> | undefined;
  /** All of them, before they are listed or chosen from. */
  prepareAll(): Promise<void>;
  /** What a person should know now, in sentences. */
  warnings(): readonly string[];
  close(): Promise<void>;
}

export async function openTools(parts: ToolsParts): Promise<OpenedTools> {
  const { configuration, folders, processes, clock, env, config } = parts;
  const { catalog, unknown } = openCatalog(parts);
  const childEnv = childEnvironment(env, { add: configuration.tools.environment });
  const safeMode = isSafeMode(config, env);
  const refusal = safeMode ? { refusal: safeModeSentence } : {};
  const hasBuiltins = config.builtins !== false;
  const workshop = openWorkshop({ ...parts, ...refusal, catalog, env: childEnv, hasBuiltins });
  await parts.onWorkshop(workshop, childEnv);
  await workshop.refresh();
  const mcp = await openMcpServers({
    configuration: safeMode ? { ...configuration, mcpServers: {} } : configuration,
    workdir: folders.workdir,
    stateFolder: configuration.store.kind === "memory" ? null : folders.state,
    catalog,
    processes,
    clock,
    env,
    childEnv,
    masker: parts.masker,
    outputs: folders.outputs,
  });
  const isKnown = (name: string): boolean =>
    workshop.hasTool(name) || mcp.mayHave(name) || catalog.resolve(name) !== undefined;
  return {
    catalog,
    childEnv,
    workshop,
    mcp,
    isSafeMode: safeMode,
    prepareFor: (tool) => workshop.prepareFor(tool) ?? mcp.prepareFor(tool),
    async prepareAll() {
      await Promise.all([workshop.refresh(), mcp.load()]);
    },
    warnings: () => [
      ...(safeMode ? [safeModeSentence] : []),
      ...unknown.filter((name) => !isKnown(name)).map((name) => tellUnknown(name, catalog)),
      ...(safeMode ? [] : workshop.warnings()),
      ...mcp.warnings(),
      ...configuration.tools.environment.flatMap(tellNeverPassed),
    ],
    async close() {
      await Promise.all([workshop.close(), mcp.close()]);
    },
  };
}

function tellNeverPassed(name: string): string[] {
  const why = whyNeverPassed(name);
  return why === undefined ? [] : [`tools.environment names "${name}", which ${why}.`];
}
