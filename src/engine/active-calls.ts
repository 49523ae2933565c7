import type { Execution } from "../core/call.ts";
import type { ActiveCall } from "./prepare-call.ts";

/** The calls that are under way. */
export interface ActiveCalls {
  add(call: ActiveCall, settled: Promise<Execution>): void;
  remove(call: ActiveCall): void;
  find(id: string): ActiveCall | undefined;
  all(): readonly ActiveCall[];
  /** Resolves when all that are under way now have settled. */
  settled(): Promise<unknown>;
}

/** A list, not a Map, for the reason given in `engine.ts`. Few are under way at once, and few ask for one of them. */
export function createActiveCalls(): ActiveCalls {
  const calls: ActiveCall[] = [];
  const promises: Promise<Execution>[] = [];
  return {
    add(call, settled) {
      calls.push(call);
      promises.push(settled);
    },
    remove(call) {
      const at = calls.lastIndexOf(call);
      if (at < 0) return;
      calls.splice(at, 1);
      void promises.splice(at, 1);
    },
    find: (id) => calls.find(({ record }) => record.id === id),
    all: () => [...calls],
    settled: () => Promise.all(promises),
  };
}
