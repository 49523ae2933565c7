import type { Ledger } from "../core/call-observer.ts";
import { isFinal, type Execution } from "../core/call.ts";
import type { Clock } from "../core/clock.ts";
import type { ProcessIdentity, StopReport } from "../core/process.ts";
import type { ExecutionQuery, ExecutionStore } from "../core/stores.ts";
import type { Engine } from "../engine/engine.ts";
import type { Processes } from "../process/processes.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Calls of this process and of others, seen as one list. */
export function createCallRecords(parts: {
  readonly engine: Engine;
  readonly store: ExecutionStore;
  readonly ledger: Ledger;
  readonly processes: Processes;
  /** Looks after what a process that died has left. */
  readonly recover: () => Promise<void>;
  /** As it was masked in the records. */
  readonly maskText: (text: string) => string;
}): Pick<Runtime, "cancel" | "get" | "list" | "listPart"> {
  const { engine, store, ledger, processes } = parts;

  /** What can't be written now stays in memory, was told as an event, and must not keep anyone from reading the rest. */
  async function writePending(): Promise<void> {
    await ledger.flush().catch(() => undefined);
  }

  async function get(id: string): Promise<Execution | undefined> {
    const here = engine.get(id);
    if (here) return here;
    await writePending();
    return store.get(id);
  }

  const list: Runtime["list"] = async (query = {}) => {
    await writePending();
    const { limit = 10, ...asked } = query;
    const { conversationId } = asked;
    const rest = conversationId === undefined ? asked : { ...asked, conversationId: parts.maskText(conversationId) };
    const here = [...engine.underWay(), ...engine.finished(limit)];
    return mergeNewestFirst(here, await store.list({ ...rest, limit }), { ...rest, limit });
  };

  return {
    get,
    async cancel(id, reason = "Cancelled") {
      if (engine.cancel(id, reason)) return true;
      const found = await get(id);
      if (!found || isFinal(found.state)) return false;
      if (found.owner && !processes.isAlive(found.owner)) {
        await parts.recover();
        return false;
      }
      return store.requestCancel(id, reason);
    },
    list,
    async listPart({ mostRows, ...query }) {
      const { beforeId, limit } = query;
      const reach = await store.reach({ rows: mostRows, ...(beforeId === undefined ? {} : { beforeId }) });
      const calls = await list({ ...query, ...(reach ? { afterId: reach.behindId } : {}) });
      const end = reach?.lastId ?? null;
      return { calls, next: calls.length < limit ? end : (calls.at(-1)?.id ?? end) };
    },
  };
}

/** Calls of this process may not be in the store yet, or be there in an older state. */
function mergeNewestFirst(own: readonly Execution[], stored: readonly Execution[], query: ExecutionQuery): Execution[] {
  const here = own.filter(
    (execution) =>
      (query.states?.includes(execution.state) ?? true) &&
      (query.toolId === undefined || execution.toolId === query.toolId) &&
      (query.conversationId === undefined || execution.conversationId === query.conversationId) &&
      (query.beforeId === undefined || execution.id < query.beforeId) &&
      (query.afterId === undefined || execution.id > query.afterId),
  );
  const known = new Set(own.map(({ id }) => id));
  return [...here, ...stored.filter(({ id }) => !known.has(id))]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, query.limit);
}

/**
 * Ends the executions that a runtime left behind when it died. Whether their work was done can't be known, so the
 * record says so instead of guessing; what still ran of them was ended before this is called.
 */
export async function recoverExecutions(options: {
  readonly store: ExecutionStore;
  readonly clock: Clock;
  readonly isAlive: (identity: ProcessIdentity) => boolean;
  readonly reaped: ReadonlyMap<string, StopReport>;
}): Promise<Execution[]> {
  const { store, clock, isAlive, reaped } = options;
  const underWay = await store.list({ states: ["pending", "running"], limit: 10_000 });
  const lost = underWay.filter(({ owner }) => owner !== null && !isAlive(owner));
  if (lost.length === 0) return [];
  const now = clock.now();
  const ended = lost.map((execution) => endLost(execution, now, reaped.get(execution.id)));
  await store.save(ended);
  return ended;
}

function endLost(execution: Execution, now: number, report: StopReport | undefined): Execution {
  const ran = execution.state === "running";
  return {
    ...execution,
    state: "failed",
    // The intent was recorded, and what came after it can't be known: never claim that nothing was done.
    runPhase: ran ? "started" : "not_started",
    error: ran
      ? "Outcome unknown: the runtime that ran this call ended before the call did"
      : "Not run: the runtime ended while this call was waiting",
    errorType: "runtime_lost",
    completedAt: now,
    durationMs: execution.startedAt === null ? null : Math.max(0, now - execution.startedAt),
    stopProof: report?.proof ?? execution.stopProof,
    killed: report?.killed ?? execution.killed,
    survivors: report?.survivors ?? execution.survivors,
  };
}
