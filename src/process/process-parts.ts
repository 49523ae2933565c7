import type { Clock } from "../core/clock.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import type { StartError } from "./command.ts";
import type { Namespace } from "./namespace.ts";
import type { ProcessTable } from "./process-table.ts";
import type { Ticker } from "./ticker.ts";

/** What everything in this room works with; made once by `createProcesses`. */
export interface ProcessParts {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly runFolder: string;
  readonly graceMs: number;
  /** This process. */
  readonly identity: ProcessIdentity;
  /** Null: there is none, or none is wanted. A start error: one is required, and there is none. */
  sandbox(): Promise<Namespace | StartError | null>;
  readonly owned: Owned;
}

/** What has to end with this process. */
export interface Owned {
  readonly closed: boolean;
  add(run: LiveRun): void;
  remove(run: LiveRun): void;
  /** Folders that nobody has discarded yet. */
  readonly folders: Set<string>;
}

export interface LiveRun {
  /** Resolves when it has ended, with proof. Never rejects. */
  end(): Promise<void>;
  /** At the very end of this process, when nothing can be awaited any more. */
  killNow(): void;
}
