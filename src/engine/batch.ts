import type { Execution } from "../core/execution.ts";
import type { Resource } from "../core/resource.ts";
import type { ToolCall } from "../core/tool-call.ts";
import { createConflictTracker, type ConflictTracker, type Touch } from "./conflicts.ts";
import { createPathLocator } from "./locate-path.ts";
import type { ActiveCall } from "./prepare-call.ts";

/** What a batch needs of the engine. */
export interface BatchHost {
  readonly workdir: string;
  readonly maxRetry: number;
  prepare(call: ToolCall, commit: () => void): ActiveCall;
  /** From here on the call can be seen and cancelled. */
  admit(active: ActiveCall, settled: Promise<Execution>): void;
  /** Runs a prepared call to its end. Never rejects. */
  perform(active: ActiveCall): Promise<Execution>;
  count(active: ActiveCall): void;
  /** `parallel` is known: how many read-only calls at the front overlap. */
  planned(calls: number, parallel: number): void;
}

/** The calls of one reply of a model. They may come one by one, while the reply still streams. */
export interface Batch {
  add(call: ToolCall): { readonly id: string; readonly execution: Promise<Execution> };
  /** No more calls. Resolves with all executions in the order in which they were added. */
  end(): Promise<Execution[]>;
}

/**
 * One call's place in the batch. It starts when everything it waits for is done. It is done when it is settled and
 * everything it waited for is done as well: a call that was cancelled before its turn must not open the way for
 * those behind it while those before it still run.
 */
interface Entry {
  readonly active: ActiveCall;
  readonly index: number;
  waitsFor: number;
  readonly waiters: Entry[];
  started: boolean;
  settled: boolean;
  done: boolean;
  readonly settle: (execution: Execution) => void;
  readonly execution: Promise<Execution>;
}

/**
 * Runs calls side by side where that can't be told from running them one by one. Calls are placed in order; one
 * that may write anything (a shell command) lets all before it finish, and those behind it are not even looked at
 * before it is done, because it may change where their paths lead.
 */
export function openBatch(host: BatchHost): Batch {
  const entries: Entry[] = [];
  let placed = 0;
  let counted = 0;
  /** How many calls of each signature were placed and not yet counted. */
  const uncounted = new Map<string, number>();
  let barrier: Entry | undefined;
  let tracker: ConflictTracker = createConflictTracker();
  let locate = createPathLocator(host.workdir);

  function placeNext(): void {
    while (!barrier && placed < entries.length) {
      const entry = entries[placed]!;
      placed += 1;
      place(entry);
    }
  }

  function place(entry: Entry): void {
    const touches = touchesOf(entry.active, locate);
    if (touches === "anything") {
      barrier = entry;
      waitForAllBefore(entry);
    } else {
      const found = tracker.add(entry.index, touches);
      if (mayBeRefused(entry)) waitForAllBefore(entry);
      else for (const index of found) waitFor(entry, entries[index]!);
    }
    const signature = entry.active.signature();
    uncounted.set(signature, (uncounted.get(signature) ?? 0) + 1);
    if (entry.waitsFor === 0) start(entry);
  }

  function waitForAllBefore(entry: Entry): void {
    for (let index = 0; index < entry.index; index++) waitFor(entry, entries[index]!);
  }

  function waitFor(entry: Entry, earlier: Entry): void {
    if (earlier.done) return;
    entry.waitsFor += 1;
    earlier.waiters.push(entry);
  }

  /** The failure guard must see the outcome of every call before this one, as it would one by one. */
  function mayBeRefused(entry: Entry): boolean {
    if (host.maxRetry === 0) return false;
    const { guard } = entry.active.conversation;
    const failures = guard.failuresOf(entry.active.signature).count;
    return failures + (uncounted.get(entry.active.signature()) ?? 0) >= host.maxRetry;
  }

  function start(entry: Entry): void {
    if (entry.started) return;
    entry.started = true;
    void host.perform(entry.active).then((execution) => {
      entry.settled = true;
      entry.settle(execution);
      release(entry);
    });
  }

  function release(entry: Entry): void {
    if (entry.done || !entry.settled || entry.waitsFor > 0) return;
    entry.done = true;
    for (const waiter of entry.waiters) {
      waiter.waitsFor -= 1;
      if (waiter.waitsFor > 0) continue;
      if (waiter.started) release(waiter);
      else start(waiter);
    }
    entry.waiters.length = 0;
    if (entry !== barrier) return;
    barrier = undefined;
    tracker = createConflictTracker();
    locate = createPathLocator(host.workdir);
    placeNext();
  }

  /** Outcomes count in the model's order, whatever finished first. */
  function commit(): void {
    while (counted < entries.length && entries[counted]!.active.record.completedAt !== null) {
      const { active } = entries[counted]!;
      host.count(active);
      const left = (uncounted.get(active.signature()) ?? 0) - 1;
      if (left > 0) uncounted.set(active.signature(), left);
      else uncounted.delete(active.signature());
      counted += 1;
    }
  }

  return {
    add(call) {
      const active = host.prepare(call, commit);
      const { promise, resolve } = Promise.withResolvers<Execution>();
      const entry: Entry = {
        active,
        index: entries.length,
        waitsFor: 0,
        waiters: [],
        started: false,
        settled: false,
        done: false,
        settle: resolve,
        execution: promise,
      };
      entries.push(entry);
      host.admit(active, promise);
      active.control.onStop(() => start(entry));
      if (active.control.cause) start(entry);
      placeNext();
      return { id: active.record.id, execution: promise };
    },
    async end() {
      host.planned(entries.length, readOnlyFront(entries));
      return Promise.all(entries.map(({ execution }) => execution));
    },
  };
}

function readOnlyFront(entries: readonly Entry[]): number {
  const first = entries.findIndex(({ active }) => !active.tool?.traits.readOnly);
  const front = first === -1 ? entries.length : first;
  return front > 1 ? front : 0;
}

/** `anything`: it may write whatever it likes. */
function touchesOf(active: ActiveCall, locate: (path: string) => string): Touch[] | "anything" {
  if (active.failure) return [];
  const resources = active.resources();
  if (resources.some(({ kind, access }) => kind === "everything" && access === "write")) return "anything";
  return resources.map((resource) => ({ segments: segmentsOf(resource, locate), access: resource.access }));
}

function segmentsOf(resource: Resource, locate: (path: string) => string): string[] {
  if (resource.kind === "everything") return [];
  if (resource.kind === "name") return ["name", resource.name];
  return ["path", ...locate(resource.path).split("/").filter(Boolean)];
}
