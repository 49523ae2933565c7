import type { Execution } from "../../core/call.ts";
import type { Ledger } from "../../core/call-observer.ts";
import { auditDraft, callDraft, decisionDraft, outcomeDraft, workflowDraft } from "./call-entries.ts";
import type { Draft } from "./log-writer.ts";
import type { Journal } from "./open-log.ts";

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
