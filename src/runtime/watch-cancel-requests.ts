import type { ExecutionStore } from "../core/call-store.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";

/** How soon a cancel from another process is noticed, at the latest. */
const pollMs = 200;

/** Cancels what other processes asked to cancel. Asks the store only when it changed and something runs here. */
export function watchCancelRequests(options: {
  readonly store: ExecutionStore;
  readonly owner: ProcessIdentity;
  readonly isBusy: () => boolean;
  readonly cancel: (id: string, reason: string) => boolean;
  readonly onError: (thrown: unknown) => void;
}): () => void {
  const { store, owner } = options;
  let seen = -1;
  let asking = false;

  async function look(): Promise<void> {
    if (asking || !options.isBusy()) return;
    asking = true;
    try {
      const revision = store.revision();
      if (revision === seen) return;
      for (const { id, reason } of await store.takeCancelRequests(owner)) options.cancel(id, reason);
      seen = revision;
    } catch (thrown) {
      options.onError(thrown);
    } finally {
      asking = false;
    }
  }

  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  return () => clearInterval(timer);
}
