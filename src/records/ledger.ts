import type { Ledger } from "../core/call-observer.ts";
import { messageOf } from "../core/errors.ts";
import { createJournalLedger } from "./audit-log/log-ledger.ts";
import type { Journal } from "./audit-log/open-log.ts";
import { createStoreLedger } from "./store-ledger.ts";
import type { WriteBehindOptions } from "./write-behind.ts";

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
