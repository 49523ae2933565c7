import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { ExecutionStore } from "../core/execution-store.ts";
import type { Ledger } from "../core/ledger.ts";
import { createStoreLedger } from "../store/store-ledger.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { openSqliteStore } from "../store/sqlite-store.ts";
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
export function openRecords(
  kind: StoreKind,
  folders: Folders,
  clock: Clock,
  onError: (id: string, thrown: unknown) => void,
): Records {
  if (kind === "memory") return over(createMemoryStore({ clock }));
  try {
    ensureDataFolder(folders);
    return over(openSqliteStore({ path: folders.database, clock }));
  } catch (thrown) {
    const { store, ledger } = over(createMemoryStore({ clock }));
    return { store, ledger: refuseEffects(ledger, thrown), problem: messageOf(thrown) };
  }

  function over(store: ExecutionStore): Records {
    return { store, ledger: createStoreLedger({ store, clock, onError }), problem: null };
  }
}

function refuseEffects(ledger: Ledger, why: unknown): Ledger {
  return {
    ...ledger,
    opened: (execution, replay) => (replay === "safe" ? ledger.opened(execution, replay) : Promise.reject(why)),
  };
}
