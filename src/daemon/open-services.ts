import type { Clock } from "../core/clock.ts";
import { exposeCatalog } from "../mcp/server/expose-catalog.ts";
import { offerInbox } from "../mcp/server/inbox-toolbox.ts";
import { openMcpHandler, type McpHandler } from "../mcp/server/http/mcp-handler.ts";
import { createTaskToolbox } from "../mcp/server/task-toolbox.ts";
import type { JournalReader } from "../records/audit-log/log-reader.ts";
import { followOutputs, type LiveOutputs } from "../records/live-outputs.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { version } from "../config/version.ts";
import { cleanDaily } from "./clean-daily.ts";
import { keepHeapSteady } from "./steady-heap.ts";
import { openEventHub, type EventHub } from "./events/event-hub.ts";
import { watchOthers } from "./events/watch-others.ts";

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
