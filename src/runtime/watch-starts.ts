import type { Ledger } from "../core/ledger.ts";

export interface WatchedLedger {
  readonly ledger: Ledger;
  /** Called once, when the call's intent is recorded and before its tool is entered. */
  readonly whenStarting: (executionId: string, act: () => void) => void;
}

/** A ledger that also tells whoever must note a call of its own before it can have an effect. */
export function watchStarts(ledger: Ledger): WatchedLedger {
  const waiting = new Map<string, () => void>();
  return {
    whenStarting: (executionId, act) => void waiting.set(executionId, act),
    ledger: {
      ...ledger,
      opened(execution, replay) {
        const committed = ledger.opened(execution, replay);
        const act = waiting.get(execution.id);
        if (!act) return committed;
        waiting.delete(execution.id);
        if (committed) return committed.then(act);
        act();
        return undefined;
      },
      settled(execution, replay) {
        waiting.delete(execution.id);
        return ledger.settled(execution, replay);
      },
    },
  };
}
