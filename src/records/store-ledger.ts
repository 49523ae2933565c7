import type { Execution } from "../core/call.ts";
import type { ExecutionStore } from "../core/call-store.ts";
import type { Ledger } from "../core/call-observer.ts";
import { createCommitGroup } from "./commit-group.ts";
import { createWriteBehind, type WriteBehindOptions } from "./write-behind.ts";

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
