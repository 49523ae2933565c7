import { systemClock, type Clock } from "../core/clock.ts";
import { messageOf, RuntimeError } from "../core/errors.ts";
import { createEventBus, type EventBus } from "../core/event-bus.ts";
import type { ExecutionQuery } from "../core/execution-store.ts";
import { isFinal, type Execution } from "../core/execution.ts";
import { maskNothing } from "../core/mask.ts";
import { permitAll, type Permit } from "../core/permit.ts";
import { askNobody, type Ask } from "../core/question.ts";
import { routeStable, type RouteCall } from "../core/route-call.ts";
import type { CallOptions, ToolCall } from "../core/tool-call.ts";
import type { Tool } from "../core/tool.ts";
import type { Batch } from "../engine/batch.ts";
import { createCatalog, type Catalog } from "../engine/catalog.ts";
import { createEngine, type BatchOptions, type RunningCall } from "../engine/engine.ts";
import type { RunStatistics } from "../engine/statistics.ts";
import { childEnvironment } from "../process/child-environment.ts";
import { createProcesses, type Processes } from "../process/processes.ts";
import { createBuiltinTools } from "./builtin-tools.ts";
import type { Settings } from "./configuration.ts";
import { locateFolders } from "./folders.ts";
import { createKeepOutput } from "./keep-output.ts";
import { loadConfiguration, type Environment } from "./load-configuration.ts";
import { openRecords } from "./open-records.ts";
import { recoverExecutions } from "./recover-executions.ts";
import { watchCancelRequests } from "./watch-cancel-requests.ts";

export interface RuntimeConfig {
  /** Where the tools work; the current folder when left out. */
  readonly workdir?: string;
  /** Tools of the program's own, beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** `false`: only the program's own tools. */
  readonly builtins?: boolean;
  /** Settings that win over environment and files; the keys are those of `deckhand.json`. */
  readonly settings?: Settings;
  /** `false`: leaves what a runtime that died left behind to the next one; for programs that run no call. */
  readonly recover?: boolean;
  readonly env?: Environment;
  readonly clock?: Clock;
  readonly permit?: Permit;
  readonly route?: RouteCall;
  readonly ask?: Ask;
}

export interface Runtime {
  readonly workdir: string;
  readonly tools: Catalog;
  readonly processes: Processes;
  /** What does not work as it should, in sentences for a person; such as a store that can't be written. */
  readonly warnings: readonly string[];
  /** Resolves to the execution, whatever became of it; never rejects for what a tool did. */
  call(tool: string, input?: unknown, options?: CallOptions & { readonly inputText?: string }): RunningCall;
  /** Runs the calls of one reply, side by side where that is safe. Results come in the given order. */
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<Execution[]>;
  /** The same for calls that arrive one by one. */
  openBatch(options?: BatchOptions): Batch;
  /** True when it was under way, here or in another process; false when it is unknown or final. */
  cancel(id: string, reason?: string): Promise<boolean>;
  get(id: string): Promise<Execution | undefined>;
  /** Newest first; the last 10 when nothing is said. */
  list(query?: Partial<ExecutionQuery>): Promise<Execution[]>;
  statistics(conversationId?: string): RunStatistics;
  readonly on: EventBus["on"];
  /** Cancels what runs, waits for the proof, writes what is pending. */
  close(): Promise<void>;
}

/** Puts the parts together. Rejects with a RuntimeError when workdir or configuration are wrong. */
export async function createRuntime(config: RuntimeConfig = {}): Promise<Runtime> {
  const clock = config.clock ?? systemClock;
  const env = config.env ?? process.env;
  const folders = locateFolders(config.workdir ?? process.cwd(), env);
  const settings = loadConfiguration({ workdir: folders.workdir, env, overrides: config.settings ?? {} });
  const bus = createEventBus(clock);
  const processes = createProcesses({ runFolder: folders.run, clock, sandbox: settings.sandbox });
  const { store, ledger, problem } = await openRecords({
    kind: settings.store.kind,
    folders,
    clock,
    onFailed: (failure) => bus.emit("ledger:failed", failure),
  });
  const warnings = problem === null ? [] : [problem];
  const builtins = createBuiltinTools({
    processes,
    keepOutput: createKeepOutput(folders.outputs),
    maxOutputBytes: settings.limits.maxOutputBytes,
  });
  const catalog = createCatalog([...(config.builtins === false ? [] : builtins), ...(config.tools ?? [])]);
  const engine = createEngine({
    catalog,
    workdir: folders.workdir,
    env: childEnvironment(env),
    owner: processes.identity,
    limits: {
      ...settings.limits,
      timeoutMs: byCanonicalName(settings.limits.timeoutMs, catalog),
      idleMs: byCanonicalName(settings.limits.idleMs, catalog),
    },
    clock,
    emit: bus.emit,
    ledger,
    permit: config.permit ?? permitAll,
    route: config.route ?? routeStable,
    ask: config.ask ?? askNobody,
    mask: maskNothing,
  });

  if (config.recover !== false) await recover();
  const stopWatching = watchCancelRequests({
    store,
    owner: processes.identity,
    isBusy: () => engine.underWay().length > 0,
    cancel: (id, reason) => engine.cancel(id, reason),
    onError: (thrown) => bus.emit("ledger:failed", { id: "", error: messageOf(thrown) }),
  });
  let closing: Promise<void> | undefined;

  async function recover(): Promise<void> {
    try {
      const reaped = await processes.reapAbandoned();
      for (const { executionId, stop } of reaped) {
        bus.emit("process:reaped", { executionId, pids: stop.killed.map(({ pid }) => pid) });
      }
      const reports = new Map(reaped.map(({ executionId, stop }) => [executionId, stop]));
      await recoverExecutions({ store, clock, isAlive: (owner) => processes.isAlive(owner), reaped: reports });
    } catch (thrown) {
      warnings.push(`What an earlier run left behind could not be looked at: ${messageOf(thrown)}`);
    }
  }

  function assertOpen(): void {
    if (closing) throw new RuntimeError("RUNTIME_CLOSED", "This runtime was closed; create a new one.");
  }

  async function find(id: string): Promise<Execution | undefined> {
    const here = engine.get(id);
    if (here) return here;
    await writePending();
    return store.get(id);
  }

  /** What can't be written now stays in memory, was told as an event, and must not keep anyone from reading the rest. */
  async function writePending(): Promise<void> {
    await ledger.flush().catch(() => undefined);
  }

  return {
    workdir: folders.workdir,
    tools: catalog,
    processes,
    warnings,
    on: (type, listener) => bus.on(type, listener),
    call(tool, input, options = {}) {
      assertOpen();
      return engine.call({ door: "library", ...options, tool, input });
    },
    async batch(calls, options = {}) {
      assertOpen();
      const batch = engine.openBatch({ door: "library", ...options });
      for (const call of calls) batch.add(call);
      return batch.end();
    },
    openBatch(options = {}) {
      assertOpen();
      return engine.openBatch({ door: "library", ...options });
    },
    async cancel(id, reason = "Cancelled") {
      if (engine.cancel(id, reason)) return true;
      const found = await find(id);
      if (!found || isFinal(found.state)) return false;
      if (found.owner && !processes.isAlive(found.owner)) {
        await recover();
        return false;
      }
      return store.requestCancel(id, reason);
    },
    get: find,
    async list(query = {}) {
      await writePending();
      const { limit = 10, ...rest } = query;
      const here = [...engine.underWay(), ...engine.finished(limit)];
      return mergeNewestFirst(here, await store.list({ ...rest, limit }), { ...rest, limit });
    },
    statistics: (conversationId) => engine.statistics(conversationId ?? null),
    close() {
      closing ??= shutDown();
      return closing;
    },
  };

  async function shutDown(): Promise<void> {
    stopWatching();
    await engine.cancelAll("Cancelled: the runtime was closed");
    await processes.close();
    try {
      await ledger.flush();
    } finally {
      await store.close();
      bus.flush();
    }
  }
}

/** People write the name they know; the engine asks by the canonical one. */
function byCanonicalName(limits: Readonly<Record<string, number>>, catalog: Catalog): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [catalog.canonicalName(name) ?? name, limit]),
  );
}

/** Calls of this process may not be in the store yet, or be there in an older state. */
function mergeNewestFirst(own: readonly Execution[], stored: readonly Execution[], query: ExecutionQuery): Execution[] {
  const here = own.filter(
    (execution) =>
      (query.states?.includes(execution.state) ?? true) &&
      (query.toolId === undefined || execution.toolId === query.toolId) &&
      (query.conversationId === undefined || execution.conversationId === query.conversationId) &&
      (query.beforeId === undefined || execution.id < query.beforeId),
  );
  const known = new Set(own.map(({ id }) => id));
  return [...here, ...stored.filter(({ id }) => !known.has(id))]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, query.limit);
}
