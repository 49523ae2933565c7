import type { LiveRun, Owned } from "../process-parts.ts";
import { removeRun } from "../run/run-folder.ts";

/** Keeps account of what this process has started, and ends all of it. */
export interface OwnedRuns extends Owned {
  endAll(): Promise<void>;
}

export function createOwned(): OwnedRuns {
  const live = new Set<LiveRun>();
  const folders = new Set<string>();
  let closed = false;
  // A program that leaves without closing still takes its commands along, as far as that goes without waiting.
  const onExit = (): void => {
    for (const run of live) run.killNow();
  };

  return {
    folders,
    get closed() {
      return closed;
    },
    add(run) {
      if (live.size === 0) process.on("exit", onExit);
      live.add(run);
      // It was on its way when everything else was ended.
      if (closed) void run.end();
    },
    remove(run) {
      if (live.delete(run) && live.size === 0) process.off("exit", onExit);
    },
    async endAll() {
      closed = true;
      while (live.size > 0) {
        const ending = [...live];
        await Promise.all(ending.map((run) => run.end()));
        for (const run of ending) this.remove(run);
      }
      await Promise.all([...folders].map(removeRun));
      folders.clear();
    },
  };
}
