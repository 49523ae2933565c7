import { messageOf } from "../core/errors.ts";
import type { Ledger } from "../core/ledger.ts";

type Written = Promise<void> | undefined;

/**
 * Both must have it before a call with effects runs, and again before its outcome is told. Both are always asked, so that
 * neither lacks what only the other could not keep.
 */
export function composeLedgers(first: Ledger, second: Ledger): Ledger {
  return {
    waiting(execution) {
      first.waiting(execution);
      second.waiting(execution);
    },
    opened: (execution, replay) => both(first.opened(execution, replay), second.opened(execution, replay)),
    settled: (execution, replay) => both(first.settled(execution, replay), second.settled(execution, replay)),
    async flush() {
      await both(first.flush(), second.flush());
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
  throw new Error(failures.map(messageOf).join(" "), { cause: failures[0] });
}
