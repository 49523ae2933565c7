import type { ExecutionQuery, ExecutionStore } from "../../core/stores.ts";
import { type Execution, isFinal } from "../../core/call.ts";
import { cutMiddle } from "../../core/text.ts";
import { RuntimeError } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { boundExecution } from "../bound-call.ts";

export interface MemoryStoreOptions {
  /** How many executions are kept; the oldest that are final go first. */
  readonly keep?: number;
  /** How many characters they may hold together, so that large outputs do not add up either. */
  readonly keepCharacters?: number;
}

interface Entry {
  /** Bounded once it is final: what is under way changes soon and is few. */
  execution: Execution;
  weight: number;
  cancel?: { readonly reason: string; taken: boolean };
}

/** Executions for as long as the process lives: for tests, and for runtimes that want no file. */
export function createMemoryStore(options: MemoryStoreOptions = {}): ExecutionStore {
  const { keep = 1_000, keepCharacters = 64 * 2 ** 20 } = options;
  const entries = new Map<string, Entry>();
  let order = createOldestFirst();
  let weight = 0;
  let requests = 0;
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new RuntimeError("STORE_CLOSED", "The store is closed: open it again to use it.");
  }

  function put(given: Execution): void {
    const known = entries.get(given.id);
    if (known && isFinal(known.execution.state)) return;
    const entry = known ?? { execution: given, weight: 0 };
    if (!known) {
      entries.set(given.id, entry);
      order.add(given.id);
    }
    if (isFinal(given.state)) {
      entry.execution = boundExecution(given);
      entry.weight = weighValue(entry.execution.toolInput) + weighValue(entry.execution.result);
      weight += entry.weight;
    } else entry.execution = given;
  }

  function remove(id: string, entry: Entry): void {
    entries.delete(id);
    weight -= entry.weight;
  }

  function dropOldest(): void {
    // Each at most once: what is under way goes to the end and stays.
    for (let left = order.size; left > 0 && (entries.size > keep || weight > keepCharacters); left--) {
      const id = order.take()!;
      const entry = entries.get(id);
      if (!entry) continue;
      if (isFinal(entry.execution.state)) remove(id, entry);
      else order.add(id);
    }
  }

  function saveNow(executions: readonly Execution[]): boolean {
    assertOpen();
    for (const execution of executions) put(execution);
    dropOldest();
    return true;
  }

  return {
    isInMemory: true,
    saveNow,
    async save(executions) {
      saveNow(executions);
    },
    async get(id) {
      assertOpen();
      const entry = entries.get(id);
      return entry && copy(entry.execution);
    },
    async list(query) {
      assertOpen();
      const found = [...entries.values()].map(({ execution }) => execution).filter((each) => matches(query, each));
      found.sort((a, b) => (a.id < b.id ? 1 : -1));
      return found.slice(0, Math.max(0, query.limit)).map(copy);
    },
    async reach({ rows, beforeId }) {
      assertOpen();
      const older = [...entries.keys()].filter((id) => beforeId === undefined || id < beforeId);
      const [lastId, behindId] = older.sort((a, b) => (a < b ? 1 : -1)).slice(rows - 1, rows + 1);
      return lastId === undefined || behindId === undefined ? undefined : { lastId, behindId };
    },
    async requestCancel(id, reason) {
      assertOpen();
      const entry = entries.get(id);
      if (!entry || isFinal(entry.execution.state)) return false;
      // The first request stands; a second one only learns that the execution is under way.
      entry.cancel ??= { reason: cutMiddle(reason, 10_000), taken: false };
      requests += 1;
      return true;
    },
    async takeCancelRequests(owner) {
      assertOpen();
      const waiting = [...entries.values()].filter(
        ({ execution, cancel }) =>
          cancel && !cancel.taken && !isFinal(execution.state) && isSame(execution.owner, owner),
      );
      for (const { cancel } of waiting) cancel!.taken = true;
      return waiting.map(({ execution, cancel }) => ({ id: execution.id, reason: cancel!.reason }));
    },
    revision() {
      assertOpen();
      return requests;
    },
    async countPrunable(completedBefore) {
      assertOpen();
      return entries
        .values()
        .filter(({ execution }) => isOld(execution, completedBefore))
        .toArray().length;
    },
    async prune(completedBefore) {
      assertOpen();
      const before = entries.size;
      for (const [id, entry] of entries) if (isOld(entry.execution, completedBefore)) remove(id, entry);
      order = createOldestFirst();
      for (const id of entries.keys()) order.add(id);
      return before - entries.size;
    },
    async close() {
      isClosed = true;
      entries.clear();
    },
  };
}

function copy(execution: Execution): Execution {
  return isFinal(execution.state) ? structuredClone(execution) : boundExecution(execution);
}

function matches(query: ExecutionQuery, execution: Execution): boolean {
  const { states, toolId, conversationId, beforeId, afterId } = query;
  return (
    (states === undefined || states.includes(execution.state)) &&
    (toolId === undefined || execution.toolId === toolId) &&
    (conversationId === undefined || execution.conversationId === conversationId) &&
    (beforeId === undefined || execution.id < beforeId) &&
    (afterId === undefined || execution.id > afterId)
  );
}

function isOld({ state, completedAt }: Execution, completedBefore: number): boolean {
  return isFinal(state) && completedAt !== null && completedAt < completedBefore;
}

function isSame(a: ProcessIdentity | null, b: ProcessIdentity): boolean {
  return a !== null && a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}

/** About how many characters a JSON value holds. */
function weighValue(value: unknown): number {
  if (typeof value === "string") return value.length + 8;
  if (typeof value !== "object" || value === null) return 8;
  let weight = 8;
  if (Array.isArray(value)) for (const item of value) weight += weighValue(item);
  else for (const key of Object.keys(value)) weight += key.length + weighValue((value as Record<string, unknown>)[key]);
  return weight;
}

/**
 * Ids in the order of their coming, for taking the oldest again and again. A Map alone would do it, but walks over all
 * that was deleted at its front, each time.
 */
export interface OldestFirst {
  add(id: string): void;
  take(): string | undefined;
  readonly size: number;
}

function createOldestFirst(): OldestFirst {
  let ids: string[] = [];
  let next = 0;
  return {
    add: (id) => void ids.push(id),
    take() {
      if (next === ids.length) return undefined;
      const id = ids[next++];
      if (next >= 1024 && next * 2 >= ids.length) {
        ids = ids.slice(next);
        next = 0;
      }
      return id;
    },
    get size() {
      return ids.length - next;
    },
  };
}
