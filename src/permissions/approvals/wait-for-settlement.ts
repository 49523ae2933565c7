import type { Settlement } from "../../core/approval-inbox-port.ts";
import type { InboxOptions } from "./approval-inbox.ts";
import { settlementOf } from "./settlement.ts";

/** How soon an answer from another process is noticed, at the latest. */
const pollMs = 200;

export interface Waiting {
  /** Resolves when somebody settled it, or withdraws it when the signal fires. */
  until(id: string, signal: AbortSignal): Promise<Settlement>;
  close(): void;
}

/** One timer for all that wait here; asks the store only when it changed. */
export function waitForSettlement({ store, clock }: InboxOptions): Waiting {
  const waiters = new Map<string, (settlement: Settlement) => void>();
  let cancelTimer: (() => void) | undefined;
  let seen = Number.NaN;
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      const revision = store.revision();
      if (revision !== seen) {
        for (const [id, resolve] of waiters) {
          const entry = await store.get(id);
          if (entry?.settlement) resolve(entry.settlement);
        }
        seen = revision;
      }
    } catch {
      // A store that can't be read now is asked again: an answer is never made up.
      seen = Number.NaN;
    }
    plan();
  }

  function plan(): void {
    cancelTimer = undefined;
    if (waiters.size > 0 && !isClosed) cancelTimer = clock.after(pollMs, () => void look());
  }

  return {
    until(id, signal) {
      return new Promise((resolve) => {
        const finish = (settlement: Settlement): void => {
          if (!waiters.delete(id)) return;
          signal.removeEventListener("abort", withdraw);
          resolve(settlement);
        };
        const withdraw = (): void => {
          const withdrawn = settlementOf("withdrawn");
          // The call is over either way; an entry that can't be settled now is found abandoned later.
          store.settle(id, withdrawn, clock.now()).catch(() => undefined);
          finish(withdrawn);
        };
        waiters.set(id, finish);
        signal.addEventListener("abort", withdraw, { once: true });
        if (signal.aborted) withdraw();
        else {
          seen = Number.NaN;
          if (!cancelTimer) plan();
        }
      });
    },
    close() {
      isClosed = true;
      cancelTimer?.();
    },
  };
}
