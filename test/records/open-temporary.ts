import { join } from "node:path";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { ExecutionStore } from "../../src/core/stores.ts";
import { openSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface After {
  after(hook: () => Promise<void>): void;
}

export async function temporaryDatabase(t: After): Promise<string> {
  return join(await temporaryFolder(t), "deckhand.db");
}

/** A store that is closed after the test. */
export async function openStore(t: After, path: string, clock: Clock = systemClock): Promise<ExecutionStore> {
  const store = await openSqliteStore({ path, clock });
  t.after(() => store.close());
  return store;
}

/** Time that runs so many times faster than it does. */
export function fastClock(times: number): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now() * times,
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs / times);
      return () => clearTimeout(timer);
    },
  };
}
