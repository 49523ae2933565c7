import { AsyncLocalStorage } from "node:async_hooks";
import { type CallOptions, type Execution, isFinal, type RunStatistics, type ToolCall } from "../core/call.ts";
import { messageOf } from "../core/errors.ts";
import { createId } from "../core/ids.ts";
import { openBatch, type Batch } from "./batch.ts";
import { failed, stopped, type End } from "./call-end.ts";
import { createConversations } from "./conversations.ts";
import type { EngineOptions, EngineParts } from "./engine-deps.ts";
import { executeCall, refuseRepeatedFailure } from "./execute-call.ts";
import { prepareCall, type ActiveCall } from "./prepare-call.ts";
import { unbreakableMask } from "./safe-mask.ts";
import { announceEnd, countOutcome, settleCall } from "./settle-call.ts";
import { createSlots, type Slots } from "./slots.ts";
import { createTally } from "./statistics.ts";

/** A call under way: a promise of its execution that already has its id. */
export type RunningCall = Promise<Execution> & { readonly id: string };

/** Takes one call, or a thousand, from pending to a truthful end. */
export interface Engine {
  /** Resolves to the execution, whatever became of it; never rejects for what a tool did. */
  call(call: ToolCall): RunningCall;
  openBatch(shared: BatchOptions): Batch;
  /** True when it was under way here; false when it is unknown or final. */
  cancel(id: string, reason: string): boolean;
  cancelAll(reason: string): Promise<void>;
  /** Under way, or among the last 100 that finished. */
  get(id: string): Execution | undefined;
  underWay(): Execution[];
  finished(limit: number): Execution[];
  statistics(conversationId: string | null): RunStatistics;
}

export type BatchOptions = Pick<CallOptions, "conversationId" | "door" | "turn" | "signal">;

export function createEngine(given: EngineOptions): Engine {
  // Which execution the code runs for: a tool that calls the runtime need not say so itself.
  const current = new AsyncLocalStorage<string>();
  const options: EngineParts = {
    ...given,
    mask: unbreakableMask(given.mask),
    enter: (executionId, run) => current.run(executionId, run),
  };
  const slots = createSlots(options.limits.maxParallel);
  const conversations = createConversations();
  const history = createHistory();
  const active = options.activeCalls;

  function prepare(given: ToolCall, batchId: string | null, commit: () => void): ActiveCall {
    // A program in plain JavaScript may name no tool at all; that is an unknown one.
    const call = typeof given.tool === "string" ? given : { ...given, tool: String(given.tool) };
    const conversation = conversations.of(call.conversationId ?? null);
    const parentId = call.parentId ?? current.getStore() ?? null;
    // What a call does on its own behalf it may do only as its caller may: the way the first one came in counts.
    const parent = parentId === null ? undefined : active.find(parentId);
    const door = (parent ? parent.record.door : call.door) ?? null;
    const prepared = prepareCall(options, call, { batchId, parentId, door, conversation, commit });
    conversation.underWay += 1;
    return prepared;
  }

  function admit(call: ActiveCall, settled: Promise<Execution>): void {
    active.add(call, settled);
    if (call.call.signal) followSignal(call.call.signal, (reason) => call.control.stop("cancel", reason), settled);
  }

  /** Calls on behalf of a running call are part of it: they take turns in its slot, because waiting for a second one could lock both for ever. */
  function slotsFor({ record }: ActiveCall): Slots {
    const parent = record.parentId === null ? undefined : active.find(record.parentId);
    if (parent?.record.runPhase !== "started" || isFinal(parent.record.state)) return slots;
    return (parent.childSlots ??= createSlots(1));
  }

  async function perform(call: ActiveCall, turn?: Promise<void>): Promise<Execution> {
    const { control } = call;
    let end: End;
    try {
      // With a turn, what the guard knows now is not yet what it would know one by one.
      const refused = turn ? undefined : refuseRepeatedFailure(options, call);
      end = refused ?? (await executeCall(options, slotsFor, call));
    } catch (thrown) {
      // A broken invariant of the engine itself. The call must still end, and say so.
      end = failed({ ok: false, error: `Internal error: ${messageOf(thrown)}`, errorType: "threw" });
    }
    // Stopped on its way to an end without having run: whoever stopped it was told that it worked.
    if (control.cause && end.runPhase === null) end = stopped(control);
    control.end();
    if (turn && !control.cause) {
      await turn;
      const refused = refuseRepeatedFailure(options, call);
      if (refused) end = { ...refused, runPhase: end.runPhase };
    }
    const told = await settleCall(options, call, end);
    active.remove(call);
    history.add(told);
    announceEnd(options, told, end.state);
    return call.record;
  }

  return {
    call(call) {
      const prepared = prepare(call, null, () => countOutcome(options, prepared));
      if (call.signal?.aborted) prepared.control.stop("cancel", cancelledByCaller);
      const settled = perform(prepared);
      admit(prepared, settled);
      return Object.assign(settled, { id: prepared.record.id });
    },
    openBatch(shared) {
      const { signal, ...inherited } = shared;
      const batchId = createId("run", options.clock.now());
      const members = new Set<ActiveCall>();
      const over = Promise.withResolvers<void>();
      const batch = openBatch({
        workdir: options.workdir,
        maxRetry: options.limits.maxRetry,
        prepare: (call, commit) => prepare({ ...inherited, ...call }, batchId, commit),
        admit(call, settled) {
          admit(call, settled);
          members.add(call);
          if (signal?.aborted) call.control.stop("cancel", cancelledByCaller);
          void settled.then(() => members.delete(call));
        },
        perform,
        count: (call) => countOutcome(options, call),
        planned: (calls, parallel) => options.emit("batch:planned", { batchId, calls, parallel }),
      });
      const stopMembers = (reason: string): void => members.forEach(({ control }) => control.stop("cancel", reason));
      if (signal) followSignal(signal, stopMembers, over.promise);
      return { add: (call) => batch.add(call), end: () => batch.end().finally(over.resolve) };
    },
    cancel: (id, reason) => active.find(id)?.control.stop("cancel", reason) ?? false,
    async cancelAll(reason) {
      const settled = active.settled();
      for (const { control } of active.all()) control.stop("cancel", reason);
      await settled;
    },
    get(id) {
      const found = active.find(id);
      return found ? options.mask.execution({ ...found.record }) : history.get(id);
    },
    underWay: () =>
      active
        .all()
        .filter(({ record }) => !isFinal(record.state))
        .map(({ record }) => options.mask.execution({ ...record })),
    finished: (limit) => history.last(limit),
    statistics: (conversationId) => (conversations.find(conversationId)?.tally ?? createTally()).read(),
  };
}

const cancelledByCaller = "Cancelled by its caller";

/** Stops what the caller's signal stands for. The listener goes when that is over: the signal may live long. */
function followSignal(signal: AbortSignal, stop: (reason: string) => unknown, over: Promise<unknown>): void {
  const onAbort = (): void => void stop(cancelledByCaller);
  if (signal.aborted) return onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  void over.finally(() => signal.removeEventListener("abort", onAbort));
}

/** The last finished executions, for quick answers; the store keeps them all. */
export interface History {
  add(execution: Execution): void;
  get(id: string): Execution | undefined;
  /** Newest first. */
  last(limit: number): Execution[];
}

/**
 * A ring. Not a Map: one that is always added to and removed from is rebuilt all the time, and each old table keeps the
 * next one, and so every record that ever went through it, from the young collector.
 */
export function createHistory(capacity = 100): History {
  const ring: Execution[] = [];
  let next = 0;
  return {
    add(execution) {
      ring[next] = execution;
      next = (next + 1) % capacity;
    },
    get: (id) => ring.find((execution) => execution.id === id),
    last: (limit) => (limit > 0 ? [...ring.slice(next), ...ring.slice(0, next)].slice(-limit).reverse() : []),
  };
}
