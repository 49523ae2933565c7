import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Tool } from "../core/tool.ts";
import type { Catalog } from "../engine/catalog.ts";
import type { Processes } from "../process/processes.ts";
import type { Masker } from "../guard/secrets/create-masker.ts";
import { openDefinitionPins, pinsFile, showChange, type HeldDefinition } from "../mcp/client/definition-pins.ts";
import type { McpServers } from "../mcp/client/mcp-servers.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Environment } from "../core/process.ts";
import { createKeepText } from "../records/keep-output.ts";
import { findMcpSecrets } from "../mcp/client/server-setting.ts";
import { mcpServersOf } from "../config/mcp-settings.ts";
import { version } from "../config/version.ts";

export interface McpParts {
  readonly configuration: Configuration;
  readonly workdir: string;
  /** The person's own folder for this workdir. */
  readonly stateFolder: string;
  /** False: that folder is only read. */
  readonly isKept: boolean;
  readonly catalog: Catalog;
  readonly processes: Pick<Processes, "openPeer" | "sandbox">;
  readonly clock: Clock;
  /** The person's own environment: what settings may name with `${NAME}`, and which proxy is used. */
  readonly env: Environment;
  /** What every child process gets. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Learns the secrets of the settings. Left out: nothing is recorded or kept. */
  readonly masker?: Masker;
  /** Where results go that are too large to be read. */
  readonly outputs?: string;
}

export type McpStatus = ReturnType<McpServers["status"]>[number];

/** The configured MCP servers, whose tools are in the catalog as soon as they are known. */
export interface OpenedMcpServers {
  /** Waits at most that long for the servers whose tools nobody knows yet; nothing to wait for: undefined. */
  load(withinMs?: number): Promise<void> | undefined;
  /** How long the slowest of them may take to start. */
  readonly startLimitMs: number;
  /** The same for a call of this tool: only a name that could be one of theirs starts anything. */
  prepareFor(tool: string): Promise<void> | undefined;
  /** Asks every server for its tools, known or not. */
  refresh(withinMs?: number): Promise<void>;
  /** Whether that name can be one of a tool that is not known yet. */
  mayHave(tool: string): boolean;
  status(): readonly McpStatus[];
  /** Tools that could not be added, in sentences. */
  warnings(): readonly string[];
  /** What commands may reach has changed: programs are started anew, those that are in use after their last call. */
  renew(): void;
  close(): Promise<void>;
}

/** A conversation waits no longer than this for tools it could do without. */
const patienceMs = 5000;

/** Starts no server. Without any in the settings it costs nothing. */
export async function openMcpServers(parts: McpParts): Promise<OpenedMcpServers> {
  const { configuration, catalog, clock } = parts;
  const settings = mcpServersOf(configuration.mcpServers);
  if (settings.length === 0) return noServers;
  const { createMcpServers } = await import("../mcp/client/mcp-servers.ts");
  const { openToolCache } = await import("../mcp/client/tool-cache.ts");
  const { workdir, processes, env, childEnv, stateFolder, isKept } = parts;
  const isStrict = configuration.permissions.strictWorkdirOnly;
  const { masker, outputs } = parts;
  for (const secret of settings.flatMap((setting) => findMcpSecrets(setting, env))) masker?.add(secret);
  const keepText = masker && outputs !== undefined ? { keepText: createKeepText(outputs, masker) } : {};
  const place = { processes, clock, workdir, env, childEnv, isStrict, version, ...keepText };
  const cache = isKept ? openToolCache(join(stateFolder, "mcp"), () => clock.now()) : null;
  const shown = createShownTools(catalog, configuration.tools.disabled);
  const pins = openDefinitionPins(pinsFile(stateFolder), { isKept });
  const waitingNow = (): string =>
    pins
      .held()
      .map(({ hash }) => hash)
      .join();
  let waitingBefore = "";
  const take = (): void => {
    shown.take(servers.tools());
    waitingBefore = waitingNow();
  };
  const servers = createMcpServers(place, { settings, cache, watch: { pins, showChange }, onChange: take });
  take();

  const hasUnknown = (): boolean => servers.status().some(({ tools }) => tools === null);
  const mayHave = (tool: string): boolean =>
    hasUnknown() && settings.some(({ name }) => fold(tool).startsWith(fold(name))) && tool.includes("__");
  const load = (withinMs = patienceMs): Promise<void> | undefined =>
    hasUnknown() ? servers.load(withinMs) : undefined;
  const startLimitMs = Math.max(...settings.map(({ startTimeoutMs }) => startTimeoutMs));
  return {
    load(withinMs) {
      const waiting = waitingNow();
      // Approved meanwhile, here or elsewhere.
      if (waiting !== waitingBefore) servers.recheck();
      return load(withinMs);
    },
    startLimitMs,
    prepareFor(tool) {
      if (catalog.resolve(tool) !== undefined || !mayHave(tool)) return undefined;
      // Whoever names such a tool wants it, and waits as long as its server may take.
      return load(startLimitMs);
    },
    refresh: (withinMs = patienceMs) => servers.refresh(withinMs),
    mayHave,
    status: () => servers.status(),
    warnings: () => [
      ...servers.status().flatMap(({ name, leftOut }) => leftOut.map(toldBy(name))),
      ...shown.problems(),
      ...pins.held().map(describeHeld),
    ],
    renew: () => servers.renew(),
    close: () => servers.close(),
  };
}

function describeHeld({ server, tool }: HeldDefinition): string {
  return `The MCP server "${server}" has changed its tool "${tool}" since it was first seen; the change waits for your approval: deckhand trust`;
}

/** Puts the tools into the catalog, and takes out those that are gone or others now. */
function createShownTools(
  catalog: Catalog,
  disabled: readonly string[],
): {
  take(tools: readonly Tool[]): void;
  problems(): readonly string[];
} {
  const isDisabled = new Set(disabled.map(fold));
  let shown = new Map<string, Tool>();
  let problems: string[] = [];
  return {
    take(tools) {
      problems = [];
      const wanted = tools.filter(({ name }) => !isDisabled.has(fold(name)));
      for (const [name, tool] of shown) if (!wanted.includes(tool)) catalog.remove(name);
      const next = new Map<string, Tool>();
      for (const tool of wanted) {
        try {
          if (shown.get(tool.name) !== tool) catalog.add(tool);
          next.set(tool.name, tool);
        } catch (thrown) {
          problems.push(messageOf(thrown));
        }
      }
      shown = next;
    },
    problems: () => problems,
  };
}

function toldBy(server: string): (sentence: string) => string {
  return (sentence) => `MCP server "${server}": ${sentence}`;
}

/** As the catalog tells names apart. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

const noServers: OpenedMcpServers = {
  load: () => undefined,
  startLimitMs: 0,
  prepareFor: () => undefined,
  refresh: () => Promise.resolve(),
  mayHave: () => false,
  status: () => [],
  warnings: () => [],
  renew: () => undefined,
  close: () => Promise.resolve(),
};
