import type { Execution } from "./execution.ts";

/**
 * Looks before a call runs, and again when it has ended, however it ended. What the second look gives is told to whoever asked for
 * the call. Undefined: nothing to look for.
 */
export type WatchRun = (run: WatchedRun) => (() => string | undefined) | undefined;

export interface WatchedRun {
  readonly execution: Execution;
  readonly isBuiltIn: boolean;
  /** It may change something here. */
  readonly mayWrite: () => boolean;
}
