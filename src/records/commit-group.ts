import type { Execution } from "../core/call.ts";
import type { ExecutionStore } from "../core/call-store.ts";

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
export function createCommitGroup(store: ExecutionStore): CommitGroup {
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
