import type { Ledger } from "../core/call-observer.ts";
import type { ExecutionStore } from "../core/stores.ts";
import type { Execution } from "../core/call.ts";
import { messageOf } from "../core/errors.ts";
import { auditDraft, callDraft, decisionDraft, outcomeDraft, workflowDraft } from "./audit-log/call-entries.ts";
import type { Draft } from "./audit-log/log-writer.ts";
import type { Journal } from "./audit-log/open-log.ts";
import { createWriteBehind, type WriteBehindOptions } from "./write-behind.ts";

export interface LedgerOptions extends WriteBehindOptions {
  /** Null where nothing is kept on disk. */
  readonly journal: Journal | null;
  /** Why calls with effects can't be recorded, and so must not run; null when they can. */
  readonly problem: Error | null;
}

type Written = Promise<void> | undefined;

/**
 * The record of a call: a row of the store and lines of the log. Both are written at the same time, and both are always
 * asked: neither lacks what only the other could not write.
 */
export function createLedger({ journal, problem, ...options }: LedgerOptions): Ledger {
  const rows = createStoreLedger(options);
  if (problem) return refuseEffects(rows, problem);
  if (!journal) return rows;
  const lines = createJournalLedger(journal);
  return {
    waiting: (call) => rows.waiting(call),
    opened: (call, replay) => both(rows.opened(call, replay), lines.opened(call, replay)),
    settled: (call, replay) => both(rows.settled(call, replay), lines.settled(call, replay)),
    async flush() {
      await both(rows.flush(), lines.flush());
    },
  };
}

function refuseEffects(ledger: Ledger, problem: Error): Ledger {
  return {
    ...ledger,
    async opened(call, replay) {
      if (replay !== "safe") throw problem;
      await ledger.opened(call, replay);
    },
  };
}

/** Nothing to wait for when neither has something. */
function both(first: Written, second: Written): Written {
  return first && second ? waitForBoth(first, second) : (first ?? second);
}

async function waitForBoth(first: Promise<void>, second: Promise<void>): Promise<void> {
  const failures = (await Promise.allSettled([first, second])).flatMap((each) =>
    each.status === "rejected" ? [each.reason as unknown] : [],
  );
  if (failures.length === 0) return;
  if (failures.length === 1) throw failures[0];
  throw new Error([...new Set(failures.map(messageOf))].join(" "), { cause: failures[0] });
}

/**
 * Writes executions into a store: what may be repeated a little later and in batches, everything else before it runs and
 * again before its outcome is told. An outcome that could not be written is kept in memory and tried again.
 */
export function createStoreLedger(options: WriteBehindOptions): Ledger {
  return options.store.isInMemory ? createDirectLedger(options.store) : createFileLedger(options);
}

function createFileLedger(options: WriteBehindOptions): Ledger {
  const behind = createWriteBehind(options);
  const group = createCommitGroup(options.store);

  function commit(execution: Execution): Promise<void> | undefined {
    behind.forget(execution.id);
    return group.commit(execution);
  }

  return {
    waiting(execution) {
      void behind.add(execution);
    },
    opened: (execution, replay) => (replay === "safe" ? behind.add(execution) : commit(execution)),
    settled(execution, replay) {
      if (replay === "safe") return behind.add(execution);
      return commit(execution)?.catch((thrown: unknown) => {
        behind.keep(execution);
        throw thrown;
      });
    },
    async flush() {
      await group.idle();
      await behind.flush();
    },
  };
}

function createDirectLedger(store: ExecutionStore): Ledger {
  function save(execution: Execution): Promise<void> | undefined {
    const executions = [execution];
    return store.saveNow?.(executions) ? undefined : store.save(executions);
  }
  return {
    // Nobody outside this process can read such a store, and whoever is inside can ask the engine.
    waiting: () => undefined,
    opened: (execution, replay) => (replay === "safe" ? undefined : save(execution)),
    settled: save,
    flush: () => Promise.resolve(),
  };
}

export interface CommitGroup {
  /** Nothing when it is committed already; else a promise that rejects when it could not be. */
  commit(execution: Execution): Promise<void> | undefined;
  /** Resolves when no commit is under way. Never rejects. */
  idle(): Promise<void>;
}

/**
 * Commits at once where the store can. Whatever else comes in the same turn of the event loop is committed together: a
 * transaction costs the same for one row as for many.
 */
function createCommitGroup(store: ExecutionStore): CommitGroup {
  let waiting: Map<string, Execution> | undefined;
  let committed: Promise<void> | undefined;
  let sameTurn = false;

  function commit(execution: Execution): Promise<void> | undefined {
    if (!sameTurn && !waiting) {
      sameTurn = true;
      queueMicrotask(() => (sameTurn = false));
      try {
        if (store.saveNow?.([execution])) return undefined;
      } catch (thrown) {
        return rejected(thrown);
      }
    }
    if (!waiting) {
      waiting = new Map();
      committed = Promise.resolve().then(commitWaiting);
    }
    waiting.set(execution.id, execution);
    return committed;
  }

  async function commitWaiting(): Promise<void> {
    const executions = [...(waiting?.values() ?? [])];
    waiting = undefined;
    if (!store.saveNow?.(executions)) await store.save(executions);
  }

  return {
    commit,
    async idle() {
      while (committed) {
        const last = committed;
        await last.catch(() => {});
        if (committed === last) committed = undefined;
      }
    },
  };
}

async function rejected(thrown: unknown): Promise<never> {
  throw thrown;
}

/** With more than this waiting, a call that is over before its intent was written is told in one line instead of three. */
const busy = 24;

/**
 * Writes what calls do into the journal: the intent of one that has effects before it runs and its outcome before that is
 * told; those of a safe one at the latest 20 ms later.
 *
 * The intent of a safe call is in `deferred` until the waiting lines are written or the call is over, then in `told` until the
 * call is over.
 */
export function createJournalLedger(journal: Journal): Ledger {
  const { audit, workflow } = journal.settings;
  const deferred = new Map<string, Execution>();
  const told = new Set<string>();

  journal.collectFrom(() => {
    if (deferred.size === 0) return [];
    const at = journal.now();
    const drafts = [...deferred.values()].flatMap((execution) => intentOf(execution, at));
    for (const id of deferred.keys()) told.add(id);
    deferred.clear();
    return drafts;
  });

  function endOf(execution: Execution, isBusy: boolean): Draft[] {
    const at = journal.now();
    const isDeferred = deferred.delete(execution.id);
    const isTold = told.delete(execution.id);
    // What never came so far as to be opened has no intent: it was refused, or there was no such tool.
    const whole = !isTold && (isBusy || !isDeferred);
    const drafts = isDeferred && !whole ? intentOf(execution, at) : [];
    if (!isTold && whole) pushDecision(drafts, execution, at);
    drafts.push(outcomeDraft(execution, at, { whole, audit }));
    if (audit && !(whole && isBusy)) drafts.push(auditDraft(execution, at));
    if (workflow && execution.conversationId !== null) drafts.push(workflowDraft(execution, at));
    return drafts;
  }

  return {
    waiting: () => undefined,
    opened(execution, replay) {
      if (replay === "safe") {
        deferred.set(execution.id, execution);
        journal.writeBehind([]);
        return undefined;
      }
      const written = journal.write(intentOf(execution, journal.now()));
      if (!written) told.add(execution.id);
      return written?.then(() => void told.add(execution.id));
    },
    settled(execution, replay) {
      if (replay !== "safe") return journal.write(endOf(execution, false));
      journal.writeBehind(endOf(execution, journal.waiting > busy));
      return undefined;
    },
    flush: () => journal.flush(),
  };
}

function intentOf(execution: Execution, at: number): Draft[] {
  const drafts: Draft[] = [];
  pushDecision(drafts, execution, at);
  drafts.push(callDraft(execution, at));
  return drafts;
}

function pushDecision(drafts: Draft[], execution: Execution, at: number): void {
  const decision = decisionDraft(execution, at);
  if (decision) drafts.push(decision);
}
