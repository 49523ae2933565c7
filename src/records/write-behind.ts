import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Execution } from "../core/call.ts";
import type { ExecutionStore } from "../core/stores.ts";
import { boundExecution } from "./bound-call.ts";
import { longestText } from "./portable-value.ts";
import { writeAtExit } from "../core/write-at-exit.ts";

export interface WriteFailure {
  readonly id: string;
  readonly error: string;
}

export interface WriteBehindOptions {
  readonly store: ExecutionStore;
  readonly clock: Clock;
  /** Told once for each record that could not be written while nobody waited for it. It is tried again. */
  readonly onFailed: (failure: WriteFailure) => void;
}

export interface WriteBehind {
  /** Takes the newest form of a record. A promise, which never rejects, only when the store can't keep up. */
  add(execution: Execution): Promise<void> | undefined;
  /** A newer form of it is written by other means. */
  forget(id: string): void;
  /** Takes a record whose writing failed, to try it again. */
  keep(execution: Execution): void;
  /** Rejects when something could not be written; it is still kept. */
  flush(): Promise<void>;
}

const delayMs = 20;
/** So many are written in one transaction: a few milliseconds of work. */
const batchRows = 200;
/** More than this waiting in memory, and the callers must wait too. */
const mostWaiting = 5000;
/** Records that could not be written, kept for another try. The oldest are given up. */
const mostKept = 500;

/**
 * Records that may be written a little later, at the latest 20 ms: each once, in its newest form, many in one transaction.
 *
 * A record is in one of three places: `waiting` for its turn; `inFlight`, while the store waits for other processes; `kept`,
 * because it could not be written. It leaves each of them when a newer form of it arrives.
 */
export function createWriteBehind({ store, clock, onFailed }: WriteBehindOptions): WriteBehind {
  const waiting = new Map<string, Execution>();
  const inFlight = new Map<string, Execution>();
  const kept = new Map<string, Execution>();
  let waitingSince = 0;
  let cancelTimer: (() => void) | undefined;
  let forgetExit: (() => void) | undefined;
  let draining: Promise<void> | undefined;
  let flushing = Promise.resolve();
  let lastError: unknown;

  function add(execution: Execution): Promise<void> | undefined {
    supersede(execution.id);
    const now = clock.monotonic();
    if (waiting.size === 0) waitingSince = now;
    waiting.set(execution.id, execution);
    // Calls that follow each other without a pause leave the timer no turn: the clock is looked at here as well.
    if (waiting.size >= batchRows || now - waitingSince >= delayMs || isLarge(execution)) write();
    else arm();
    return waiting.size >= mostWaiting ? draining : undefined;
  }

  function forget(id: string): void {
    waiting.delete(id);
    supersede(id);
    // Whatever goes on in the store is a reason to try again what failed before.
    if (kept.size > 0) arm();
  }

  function supersede(id: string): void {
    if (inFlight.size > 0) inFlight.delete(id);
    if (kept.size > 0) kept.delete(id);
  }

  function arm(): void {
    cancelTimer ??= clock.after(delayMs, write);
    forgetExit ??= writeAtExit(writeLast);
  }

  function disarm(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (waiting.size + inFlight.size + kept.size > 0) return;
    forgetExit?.();
    forgetExit = undefined;
  }

  /** At once if the store can, else by and by. */
  function write(): void {
    if (!draining) {
      if (writeNow(waiting)) writeNow(kept);
      if (waiting.size > 0) {
        draining = drain().finally(() => {
          draining = undefined;
          disarm();
        });
      }
    }
    disarm();
  }

  /** True when all of them are written. */
  function writeNow(from: Map<string, Execution>): boolean {
    while (from.size > 0) {
      const batch = firstOf(from);
      try {
        if (!store.saveNow?.(batch)) return false;
        remove(batch, from);
      } catch (thrown) {
        remove(batch, from);
        failed(batch, thrown, from === waiting);
        return false;
      }
    }
    return true;
  }

  async function drain(): Promise<void> {
    while (waiting.size > 0) await save(waiting);
  }

  /** True when one batch is written. */
  async function save(from: Map<string, Execution>): Promise<boolean> {
    const batch = firstOf(from);
    remove(batch, from);
    for (const execution of batch) inFlight.set(execution.id, execution);
    try {
      await store.save(batch);
      return true;
    } catch (thrown) {
      // A newer form may have been written meanwhile: the old one must not come after it.
      const current = batch.filter((execution) => inFlight.get(execution.id) === execution);
      failed(current, thrown, from === waiting);
      return false;
    } finally {
      remove(batch, inFlight);
    }
  }

  function failed(batch: readonly Execution[], thrown: unknown, isFirstTry: boolean): void {
    lastError = thrown;
    for (const execution of batch) {
      keep(execution);
      if (isFirstTry) onFailed({ id: execution.id, error: messageOf(thrown) });
    }
  }

  function keep(execution: Execution): void {
    kept.set(execution.id, boundExecution(execution));
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    forgetExit ??= writeAtExit(writeLast);
  }

  /** The process ends: the last chance, without waiting. */
  function writeLast(): void {
    try {
      for (const from of [inFlight, waiting, kept]) store.saveNow?.([...from.values()]);
    } catch {
      // Nobody is left to tell.
    }
  }

  function flush(): Promise<void> {
    flushing = flushing.catch(() => {}).then(writeAll);
    return flushing;
  }

  async function writeAll(): Promise<void> {
    lastError = undefined;
    write();
    await draining;
    while (kept.size > 0 && (await save(kept)));
    disarm();
    if (kept.size > 0) throw lastError;
  }

  return { add, forget, keep, flush };
}

/** Too much to hold for long. */
function isLarge({ result }: Execution): boolean {
  return (result?.output?.length ?? 0) > longestText;
}

function firstOf(from: Map<string, Execution>): Execution[] {
  return [...from.values().take(batchRows)];
}

/** Unless a newer form has taken its place. */
function remove(batch: readonly Execution[], from: Map<string, Execution>): void {
  for (const execution of batch) if (from.get(execution.id) === execution) from.delete(execution.id);
}
