import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Emit } from "../../core/events.ts";
import type { ScheduleStore } from "../../core/job.ts";

const dayMs = 24 * 60 * 60_000;

/** Removes rows of runs that ended long ago, now and once a day; stops when what it returns is called. */
export function pruneRunsDaily(parts: {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly keptDays: number;
}): () => void {
  const { store, clock, emit, keptDays } = parts;
  let cancel = (): void => {};

  function prune(): void {
    cancel = clock.after(dayMs, prune);
    store
      .prune(clock.now() - keptDays * dayMs)
      .catch((thrown: unknown) => emit("schedule:failed", { jobId: null, error: messageOf(thrown) }));
  }

  prune();
  return () => cancel();
}
