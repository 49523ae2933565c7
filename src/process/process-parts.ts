import type { Clock } from "../core/clock.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { StartError } from "./run/run-request.ts";
import type { Sandbox } from "./sandbox/enclosure.ts";
import type { PipeStock } from "./run/output-pipe.ts";
import type { PrivateFolder } from "./sandbox/private-folder.ts";
import type { ProcessTable } from "./stop/process-table.ts";
import type { SandboxView } from "./sandbox/sandbox-view.ts";
import type { Ticker } from "./run/ticker.ts";

/** What everything in this room works with; made once by `createProcesses`. */
export interface ProcessParts {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly runFolder: string;
  readonly graceMs: number;
  /** This process. */
  readonly identity: ProcessIdentity;
  /** What the next command may see, and what holds it to that. A start error: a sandbox is required, and there is none. */
  sandbox(): Promise<{ readonly sandbox: Sandbox; readonly view: SandboxView | null } | StartError>;
  /** Made at the first call, and removed when this runtime ends. */
  privateFolder(): PrivateFolder;
  readonly pipes: PipeStock;
  /** The log of a background process takes no more than this on the disk. */
  readonly maxLogBytes: number;
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
