import type { Clock } from "../../core/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { EventHub } from "./event-hub.ts";

/** How soon a page shows what another process put into the store, at the latest. */
const pollMs = 500;

/**
 * Approvals, tasks and jobs of other processes are rows of the store and no lines of the journal: when somebody else wrote to it,
 * whoever shows them asks again. Returns the way to stop.
 */
export function watchOthers(parts: {
  readonly inbox: Pick<Runtime["inbox"], "revision">;
  readonly hub: Pick<EventHub, "note" | "clients">;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}): () => void {
  const { inbox, hub, clock, onError } = parts;
  let seen = -1;
  let cancel = clock.after(pollMs, look);

  function look(): void {
    cancel = clock.after(pollMs, look);
    if (hub.clients === 0) return;
    try {
      const revision = inbox.revision();
      if (revision !== seen) hub.note(["inbox", "tasks", "jobs"]);
      seen = revision;
    } catch (thrown) {
      onError(thrown);
    }
  }

  return () => cancel();
}
