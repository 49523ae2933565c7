import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { ExecutionStore } from "../core/execution-store.ts";
import type { Ledger } from "../core/ledger.ts";
import { createStoreLedger } from "../store/store-ledger.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { openSqliteStore } from "../store/sqlite-store.ts";
import { toStoreError } from "../store/store-error.ts";
import type { WriteFailure } from "../store/write-behind.ts";
import { ensureDataFolder, type Folders } from "./folders.ts";
import type { StoreKind } from "./configuration.ts";

export interface Records {
  readonly store: ExecutionStore;
  readonly ledger: Ledger;
  /** Why the store can't be used; null when it can. */
  readonly problem: string | null;
}

/**
 * The store and the ledger over it. When the store can't be opened, calls that are safe to repeat still run, kept in
 * memory only; any other is refused, because an effect without a record is what this runtime promises not to have.
 */
export async function openRecords(options: {
  readonly kind: StoreKind;
  readonly folders: Folders;
  readonly clock: Clock;
  readonly onFailed: (failure: WriteFailure) => void;
}): Promise<Records> {
  const { kind, folders, clock, onFailed } = options;
  if (kind === "memory") return over(createMemoryStore());
  try {
    ensureDataFolder(folders);
    return over(await openSqliteStore({ path: folders.database, clock }));
  } catch (thrown) {
    const { store, ledger } = over(createMemoryStore());
    const problem = messageOf(toStoreError(thrown, folders.database));
    return { store, ledger: refuseEffects(ledger, new Error(problem, { cause: thrown })), problem };
  }

  function over(store: ExecutionStore): Records {
    return { store, ledger: createStoreLedger({ store, clock, onFailed }), problem: null };
  }
}

function refuseEffects(ledger: Ledger, why: Error): Ledger {
  return {
    ...ledger,
    async opened(execution, replay) {
      if (replay !== "safe") throw why;
      await ledger.opened(execution, replay);
    },
  };
}
