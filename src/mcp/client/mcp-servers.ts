import { messageOf } from "../../core/errors.ts";
import type { Tool } from "../../core/tool.ts";
import { settlesWithin } from "../../process/stop/wait.ts";
import { createMcpTool, type DefinitionWatch } from "./create-mcp-tool.ts";
import type { ToolList } from "./list-tools.ts";
import { createMcpServer, type McpServer, type McpServerStatus } from "./mcp-server.ts";
import { nameTools } from "./name-tools.ts";
import type { LinkPlace } from "./open-server-link.ts";
import type { McpServerSetting } from "./server-setting.ts";
import type { ToolCache } from "./tool-cache.ts";

export interface McpServers {
  /** The tools of all servers, as far as they are known. Starts nothing. */
  tools(): readonly Tool[];
  /**
   * Starts the servers whose tools are not known, side by side, and resolves when all are or when the time is over; late ones go on
   * and are told as a change. Never rejects.
   */
  load(withinMs: number): Promise<void>;
  /** The same for every server, known or not. */
  refresh(withinMs: number): Promise<void>;
  /** Looks again at what is pinned: changes may have been approved, here or elsewhere. */
  recheck(): void;
  /** With what is to be said of their tools. */
  status(): readonly (McpServerStatus & { readonly tools: number | null; readonly leftOut: readonly string[] })[];
  /** See `McpServer`. */
  renew(): void;
  close(): Promise<void>;
}

export interface McpServersOptions {
  readonly settings: readonly McpServerSetting[];
  /** Null: nothing is kept. */
  readonly cache: ToolCache | null;
  /** `tools()` would answer otherwise now. */
  readonly onChange: () => void;
  /** Null: whatever a server says of its tools counts at once. */
  readonly watch?: Omit<DefinitionWatch, "verify"> | null;
  readonly cancelMs?: number;
  readonly backoffMs?: number;
}

interface Entry {
  readonly server: McpServer;
  list: ToolList | undefined;
  tools: readonly Tool[];
  /** The list that is being fetched; it is fetched once more when something changed meanwhile. */
  fetching: Promise<void> | undefined;
  isStale: boolean;
  /** It was heard from since this began; what the cache says is then of no interest. */
  isFresh: boolean;
  problem: string | null;
}

export function createMcpServers(place: LinkPlace, options: McpServersOptions): McpServers {
  const { cache, onChange, settings, watch = null, ...timing } = options;
  const watchFor = (entryOf: () => Entry): DefinitionWatch | null =>
    watch && { ...watch, verify: () => (entryOf().isFresh ? Promise.resolve() : fetch(entryOf(), false)) };
  const entries = settings.map((setting): Entry => {
    const server = createMcpServer(place, { setting, ...timing, onToolsChanged: () => void fetch(entry, true) });
    const list = cache?.read(setting);
    const tools = toTools(
      server,
      list,
      watchFor(() => entry),
    );
    const entry: Entry = { server, list, tools, fetching: undefined, isStale: false, isFresh: false, problem: null };
    return entry;
  });
  let isClosed = false;

  function fetch(entry: Entry, hasChanged: boolean): Promise<void> {
    if (isClosed) return Promise.resolve();
    if (entry.fetching) {
      entry.isStale ||= hasChanged && entry.isFresh;
      return entry.fetching;
    }
    entry.fetching = fetchAll(entry).finally(() => (entry.fetching = undefined));
    return entry.fetching;
  }

  async function fetchAll(entry: Entry): Promise<void> {
    do {
      entry.isStale = false;
      try {
        take(entry, await entry.server.list());
      } catch (thrown) {
        // What was known before stays: a call says why it does not work.
        entry.problem = `The MCP server "${entry.server.setting.name}" ${messageOf(thrown)}`;
      }
    } while (entry.isStale && !isClosed);
  }

  function take(entry: Entry, list: ToolList): void {
    const isSame = JSON.stringify(list) === JSON.stringify(entry.list);
    entry.isFresh = true;
    entry.problem = null;
    if (isSame || isClosed) return;
    entry.list = list;
    entry.tools = toTools(
      entry.server,
      list,
      watchFor(() => entry),
    );
    cache?.write(entry.server.setting, list);
    onChange();
  }

  async function within(wanted: readonly Entry[], limitMs: number): Promise<void> {
    await settlesWithin(place.clock, Promise.all(wanted.map((entry) => fetch(entry, false))), limitMs);
  }

  return {
    tools: () => entries.flatMap(({ tools }) => tools),
    load: (withinMs) =>
      within(
        entries.filter(({ list }) => list === undefined),
        withinMs,
      ),
    refresh: (withinMs) => within(entries, withinMs),
    recheck() {
      if (watch === null) return;
      for (const entry of entries)
        entry.tools = toTools(
          entry.server,
          entry.list,
          watchFor(() => entry),
        );
      onChange();
    },
    status: () =>
      entries.map(({ server, list, problem }) => {
        const status = server.status();
        return {
          ...status,
          problem: problem ?? status.problem,
          tools: list?.tools.length ?? null,
          leftOut: list?.leftOut ?? [],
        };
      }),
    renew() {
      for (const { server } of entries) server.renew();
    },
    async close() {
      isClosed = true;
      await Promise.all(entries.map(({ server }) => server.close()));
    },
  };
}

function toTools(server: McpServer, list: ToolList | undefined, watch: DefinitionWatch | null): readonly Tool[] {
  const { name, only } = server.setting;
  const wanted = (list?.tools ?? []).filter((tool) => only === null || only.includes(tool.name));
  const listed = watch === null ? wanted : watch.pins.check(server.setting, wanted);
  const names = nameTools(
    name,
    listed.map((tool) => tool.name),
  );
  return listed.map((tool) => createMcpTool(server, tool, { name: names.get(tool.name)!, watch }));
}
