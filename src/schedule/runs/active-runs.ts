import type { Run } from "../../core/job.ts";

/** Why work is stopped; the first cause wins. */
export type StopCause = "timeout" | "cancel" | "close" | "taken_away";

/** Work that this process does now. */
export interface ActiveRun {
  readonly run: Run;
  readonly signal: AbortSignal;
  readonly stoppedBy: { readonly cause: StopCause; readonly reason: string } | undefined;
  /** Calls back when it is first told to stop, and once more when the process closes after that: then it has less time. */
  onStop(tell: (cause: StopCause) => void): void;
  stop(cause: StopCause, reason: string): void;
}

export interface ActiveRuns {
  has(id: string): boolean;
  list(): ActiveRun[];
  size(): number;
  /** Does the work with an entry in the list, from before it begins until it has ended. */
  hold<Result>(run: Run, work: (active: ActiveRun) => Promise<Result>): Promise<Result>;
  /** Settles when the list is empty. */
  idle(): Promise<void>;
}

export function createActiveRuns(): ActiveRuns {
  const active = new Map<string, ActiveRun>();
  const waiting = new Set<() => void>();

  return {
    has: (id) => active.has(id),
    list: () => [...active.values()],
    size: () => active.size,
    async hold(run, work) {
      const entry = createEntry(run);
      active.set(run.id, entry);
      try {
        return await work(entry);
      } finally {
        active.delete(run.id);
        if (active.size === 0) for (const resolve of waiting) resolve();
      }
    },
    async idle() {
      if (active.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    },
  };
}

function createEntry(run: Run): ActiveRun {
  const controller = new AbortController();
  let stoppedBy: ActiveRun["stoppedBy"];
  let tell: (cause: StopCause) => void = () => {};
  return {
    run,
    signal: controller.signal,
    get stoppedBy() {
      return stoppedBy;
    },
    onStop(listener) {
      tell = listener;
    },
    stop(cause, reason) {
      if (stoppedBy && cause !== "close") return;
      tell(cause);
      if (stoppedBy) return;
      stoppedBy = { cause, reason };
      controller.abort(new Error(reason));
    },
  };
}
