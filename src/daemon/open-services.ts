import { getHeapStatistics } from "node:v8";
import { version } from "../config/version.ts";
import type { Clock } from "../core/clock.ts";
import { exposeCatalog } from "../mcp/server/expose-catalog.ts";
import { openMcpHandler, type McpHandler } from "../mcp/server/http/serve-http.ts";
import { offerInbox } from "../mcp/server/inbox-toolbox.ts";
import { createTaskToolbox } from "../mcp/server/task-toolbox.ts";
import type { JournalReader } from "../records/audit-log/log-reader.ts";
import { followOutputs, type LiveOutputs } from "../records/live-outputs.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { openEventHub, type EventHub } from "./events/event-hub.ts";

export interface ServicesParts {
  readonly runtime: Runtime;
  readonly journal: JournalReader;
  readonly clock: Clock;
  /** MCP clients get the catalog's own tools, too. */
  readonly exposesTools: boolean;
  /** MCP clients see the inbox, and pass on answers to questions in it. */
  readonly offersInbox: boolean;
  readonly onError: (thrown: unknown) => void;
}

/** What a daemon does with its runtime for as long as it runs. */
export interface Services {
  readonly hub: EventHub;
  readonly mcp: McpHandler;
  readonly outputs: LiveOutputs;
  /** Ends the streams, then the runtime: calls are cancelled with proof, background agents go on. */
  close(): Promise<void>;
}

/** How often tool files are looked at while nobody calls one: a new version is tried and decided on all the same. */
const lookEveryMs = 10_000;

/** Settles when tasks that an earlier process left are taken over, tool files are scanned, and the schedule runs. */
export async function openServices(parts: ServicesParts): Promise<Services> {
  const { runtime, clock, onError } = parts;
  const outputs = followOutputs(runtime);
  const hub = await openEventHub(parts);
  const stopWatching = watchOthers({ inbox: runtime.inbox, hub, clock, onError });
  const mcp = openMcpHandler(mcpParts(parts), onError);
  await runtime.tasks();
  await runtime.prepareTools();
  await (await runtime.schedule()).start();
  const stopCleaning = cleanDaily({ runtime, clock, onError });
  const leaveHeap = keepHeapSteady(clock);
  let cancelLook = clock.after(lookEveryMs, look);
  let isClosed = false;

  async function lookAtTools(): Promise<void> {
    await runtime.prepareTools();
    await (await runtime.rollouts()).lookAfter();
  }

  function look(): void {
    void lookAtTools()
      .catch(onError)
      .finally(() => {
        if (!isClosed) cancelLook = clock.after(lookEveryMs, look);
      });
  }

  return {
    hub,
    mcp,
    outputs,
    async close() {
      isClosed = true;
      cancelLook();
      stopWatching();
      leaveHeap();
      await stopCleaning();
      await hub.close();
      outputs.close();
      await mcp.close();
      await runtime.close();
    },
  };
}

function mcpParts({ runtime, clock, exposesTools, offersInbox }: ServicesParts): Parameters<typeof openMcpHandler>[0] {
  const desk = (): ReturnType<Runtime["tasks"]> => runtime.tasks();
  const tasks = createTaskToolbox({ desk, clock });
  const own = offersInbox ? offerInbox(tasks, { inbox: () => Promise.resolve(runtime.inbox) }) : tasks;
  const toolbox = exposesTools ? exposeCatalog(own, () => Promise.resolve(runtime), clock) : own;
  return { toolbox, desk, clock, version };
}

/** How soon a page shows what another process put into the store, at the latest. */
const pollMs = 500;

/**
 * Approvals, tasks and jobs of other processes are rows of the store and no lines of the journal: when somebody else wrote to it,
 * whoever shows them asks again. Returns the way to stop.
 */
function watchOthers(parts: {
  readonly inbox: Pick<Runtime["inbox"], "revision">;
  readonly hub: Pick<EventHub, "note" | "clients">;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}): () => void {
  const { inbox, hub, clock, onError } = parts;
  let seen = -1;
  let cancel = clock.after(pollMs, look);

  function look(): void {
    cancel = clock.after(pollMs, look);
    if (hub.clients === 0) return;
    try {
      const revision = inbox.revision();
      if (revision !== seen) hub.note(["inbox", "tasks", "jobs"]);
      seen = revision;
    } catch (thrown) {
      onError(thrown);
    }
  }

  return () => cancel();
}

/** Not while everything starts. */
const firstAfterMs = 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * Does what `deckhand clean` does, soon and then once a day. What it returns ends it, and settles when nothing is removed any
 * more: what is left goes the next time.
 */
function cleanDaily(parts: {
  readonly runtime: Pick<Runtime, "clean">;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}): () => Promise<void> {
  const { runtime, clock, onError } = parts;
  const stopping = new AbortController();
  let cleaning: Promise<void> | undefined;
  let cancel = clock.after(firstAfterMs, begin);

  function begin(): void {
    cleaning = clean().finally(() => {
      if (!stopping.signal.aborted) cancel = clock.after(dayMs, begin);
    });
  }

  async function clean(): Promise<void> {
    try {
      const { problems } = await runtime.clean({ signal: stopping.signal, door: "daemon" });
      for (const problem of problems) onError(problem);
    } catch (thrown) {
      onError(thrown);
    }
  }

  return async () => {
    stopping.abort();
    cancel();
    await cleaning;
  };
}

const heapCheckMs = 2000;
/** So much may have come since the last collection. */
const mostGrowth = 12 * 1024 * 1024;

type Collect = (options: { readonly type: "major"; readonly execution: "async" }) => Promise<void>;

/**
 * Collects what requests have left before it has become much. V8 by itself would let a process that has memory to spare grow for
 * minutes before it looks at what is old, and keep what it took. Costs nothing where nothing is asked, and does nothing where
 * the program was not started with `--expose-gc`, as the launcher does for a daemon. Returns what ends it.
 */
export function keepHeapSteady(clock: Clock): () => void {
  const collect = (globalThis as { readonly gc?: Collect }).gc;
  if (!collect) return () => undefined;
  let base = usedBytes();
  let isOver = false;
  let cancel = clock.after(heapCheckMs, look);

  function look(): void {
    void collectWhenGrown().finally(() => {
      if (!isOver) cancel = clock.after(heapCheckMs, look);
    });
  }

  async function collectWhenGrown(): Promise<void> {
    const used = usedBytes();
    base = Math.min(base, used);
    if (used - base < mostGrowth) return;
    await collect!({ type: "major", execution: "async" });
    base = usedBytes();
  }

  return () => {
    isOver = true;
    cancel();
  };
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}
