import { type Execution, isFinal, type ToolCall } from "../core/call.ts";
import { RuntimeError } from "../core/errors.ts";
import type { Resource } from "../core/tool.ts";
import { Step } from "./batch-node.ts";
import { type ConflictTracker, createConflictTracker, type Touch } from "./conflicts.ts";
import { createPathLocator, type Located } from "./locate-path.ts";
import type { ActiveCall } from "./prepare-call.ts";

/** What a batch needs of the engine. */
export interface BatchHost {
  readonly workdir: string;
  readonly maxRetry: number;
  prepare(call: ToolCall, commit: () => void): ActiveCall;
  /** From here on the call can be seen and cancelled. */
  admit(active: ActiveCall, settled: Promise<Execution>): void;
  /** Runs a prepared call to its end. With `turn`, its outcome waits for that before it is judged. Never rejects. */
  perform(active: ActiveCall, turn?: Promise<void>): Promise<Execution>;
  count(active: ActiveCall): void;
  /** `parallel` is known: how many read-only calls at the front overlap. */
  planned(calls: number, parallel: number): void;
}

/** The calls of one reply of a model. They may come one by one, while the reply still streams. */
export interface Batch {
  add(call: ToolCall): { readonly id: string; readonly execution: Promise<Execution> };
  /** No more calls: `add` throws BATCH_ENDED. Resolves with all executions in the order in which they were added. */
  end(): Promise<Execution[]>;
}

interface Entry {
  readonly active: ActiveCall;
  readonly index: number;
  readonly step: Step;
  readonly settled: PromiseWithResolvers<Execution>;
  started: boolean;
  /** Counted in `uncounted`. */
  pending: boolean;
  /** Called when all that its step waits for is done. */
  onReady: () => void;
  /** Called when all before it are counted. */
  onTurn: (() => void) | undefined;
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
  let firstOpen = 0;
  let barrier: Step | undefined;
  let tracker: ConflictTracker = createConflictTracker();
  let locate = createPathLocator(host.workdir);
  /** How many calls of each signature were placed and not yet counted. */
  const uncounted = new Map<string, number>();
  let ended: Promise<Execution[]> | undefined;

  function placeNext(): void {
    if (barrier?.done) {
      barrier = undefined;
      tracker = createConflictTracker();
      locate = createPathLocator(host.workdir);
    }
    while (!barrier && placed < entries.length) {
      const entry = entries[placed]!;
      placed += 1;
      place(entry);
    }
  }

  function place(entry: Entry): void {
    const { active, step } = entry;
    if (entry.started) return; // cancelled before its place was known: it touches nothing
    const touches = active.failure ? [] : touchesOf(active.resources(), locate);
    if (touches === "anything") barrier = step;
    else tracker.add(step, touches);

    const refusable = mayBeRefused(active);
    const changing = touches === "anything" || touches.some(({ access }) => access === "write");
    if (touches === "anything" || (refusable && changing)) waitForAllBefore(entry);
    entry.onReady = () => start(entry, refusable && !changing ? turnOf(entry) : undefined);
    countPending(entry, 1);
    if (step.ready) entry.onReady();
  }

  function waitForAllBefore({ step, index }: Entry): void {
    while (entries[firstOpen]!.step.done) firstOpen += 1;
    for (let earlier = firstOpen; earlier < index; earlier++) step.waitFor(entries[earlier]!.step);
  }

  /**
   * One by one, the failure guard would know the outcome of every call before this one. A call that changes
   * something waits for them; one that only reads may run ahead, and its outcome is judged when its turn comes.
   */
  function mayBeRefused({ conversation, signature }: ActiveCall): boolean {
    if (host.maxRetry === 0) return false;
    const failures = conversation.guard.failuresOf(signature).count;
    return failures + (uncounted.get(signature()) ?? 0) >= host.maxRetry;
  }

  function turnOf(entry: Entry): Promise<void> | undefined {
    if (counted >= entry.index) return undefined;
    return new Promise((resolve) => (entry.onTurn = resolve));
  }

  function start(entry: Entry, turn?: Promise<void>): void {
    if (entry.started) return;
    entry.started = true;
    void host.perform(entry.active, turn).then((execution) => {
      entry.settled.resolve(execution);
      entry.step.finish();
      placeNext();
    });
  }

  /** Outcomes count in the model's order, whatever finished first. */
  function commit(): void {
    for (let entry = entries[counted]; entry && isFinal(entry.active.record.state); entry = entries[counted]) {
      host.count(entry.active);
      counted += 1;
      countPending(entry, -1);
    }
    entries[counted]?.onTurn?.();
  }

  function countPending(entry: Entry, change: 1 | -1): void {
    if (entry.pending === change > 0) return;
    entry.pending = change > 0;
    const signature = entry.active.signature();
    const count = (uncounted.get(signature) ?? 0) + change;
    if (count > 0) uncounted.set(signature, count);
    else uncounted.delete(signature);
  }

  return {
    add(call) {
      if (ended) throw new RuntimeError("BATCH_ENDED", "This batch takes no more calls; open another one.");
      const active = host.prepare(call, commit);
      const entry: Entry = {
        active,
        index: entries.length,
        step: new Step(() => entry.onReady()),
        settled: Promise.withResolvers(),
        started: false,
        pending: false,
        onReady: () => undefined,
        onTurn: undefined,
      };
      entries.push(entry);
      active.control.onStop(() => start(entry));
      host.admit(active, entry.settled.promise);
      placeNext();
      return { id: active.record.id, execution: entry.settled.promise };
    },
    end() {
      if (!ended) {
        host.planned(entries.length, readOnlyFront(entries));
        ended = Promise.all(entries.map(({ settled }) => settled.promise));
      }
      return ended;
    },
  };
}

function readOnlyFront(entries: readonly Entry[]): number {
  const first = entries.findIndex(({ active }) => !active.tool?.traits.readOnly);
  const front = first === -1 ? entries.length : first;
  return front > 1 ? front : 0;
}

/** The places in the tree of all there is that these resources stand for; `anything`: whatever the call likes. */
export function touchesOf(
  resources: readonly Resource[],
  locate: (path: string) => Located,
): readonly Touch[] | "anything" {
  const touches: Touch[] = [];
  for (const resource of resources) {
    const { access } = resource;
    if (resource.kind === "everything") {
      if (access === "write") return "anything";
      touches.push({ segments: [], access });
    } else if (resource.kind === "name") {
      touches.push({ segments: ["name", resource.name], access });
    } else {
      const { names, isShared } = locate(resource.path);
      // It may move or replace a link, and then other paths lead elsewhere.
      if (isShared && access === "write") return "anything";
      for (const name of names) touches.push({ segments: ["path", ...name.split("/").filter(Boolean)], access });
    }
  }
  return touches;
}
