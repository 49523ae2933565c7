import { createHash } from "node:crypto";
import { messageOf } from "../../core/errors.ts";
import { checkStructure } from "../../core/json.ts";
import type { Tool, ToolTraits } from "../../core/tool.ts";
import { settlesWithin } from "../../process/stop/wait.ts";
import type { DefinitionPins, HeldDefinition } from "./definition-pins.ts";
import type { ListedTool, ToolList } from "./list-tools.ts";
import { createMcpServer, type McpServer, type McpServerStatus } from "./mcp-server.ts";
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

const longestName = 64;

/**
 * A name for each tool that every provider takes, and that no other tool of any server has: `server__tool`. It follows from the two
 * names alone, so that rules, grants and sessions stay right; where something had to be changed or cut, a hash tells it apart.
 */
function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const tool of tools.toSorted()) {
    const plain = `${server}__${tool}`;
    const name = isFit(plain) && !taken.has(fold(plain)) ? plain : withHash(plain);
    taken.add(fold(name));
    names.set(tool, name);
  }
  return names;
}

/** Gemini wants a letter or "_" first; all others take less. */
function isFit(name: string): boolean {
  return name.length <= longestName && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

function withHash(plain: string): string {
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 8);
  const safe = plain.replaceAll(/[^A-Za-z0-9_-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  return `${safe.slice(0, longestName - hash.length - 1)}_${hash}`;
}

/** As the catalog tells names apart. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** What is known of a change of the tool's definition, and how it is shown. */
interface DefinitionWatch {
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
