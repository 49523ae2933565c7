import type { Clock } from "../core/clock.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import { createBackground } from "./background.ts";
import type { Background } from "./background.ts";
import type { CommandEnd, CommandRequest } from "./command.ts";
import { identify, isAlive } from "./identity.ts";
import { openPeer } from "./open-peer.ts";
import type { PeerRequest, PeerStart } from "./open-peer.ts";
import { createOwned } from "./own.ts";
import { chooseSandbox } from "./probe-sandbox.ts";
import type { SandboxChoice } from "./probe-sandbox.ts";
import type { ProcessParts } from "./process-parts.ts";
import { openProcessTable } from "./process-table.ts";
import { reapAbandoned } from "./reap.ts";
import type { Reaped } from "./reap.ts";
import { runCommand } from "./run-command.ts";
import { openRunFolder } from "./run-folder.ts";
import { createTicker } from "./ticker.ts";

export interface ProcessesOptions {
  /** A private folder; several runtimes may share it. Refused when it is a link or another user's. */
  readonly runFolder: string;
  readonly clock: Clock;
  /** `auto`: where it works; `require`: nothing starts without it. */
  readonly sandbox: SandboxChoice;
  /** How long a stopped process may take after SIGTERM. */
  readonly graceMs?: number;
}

/** The one place that starts processes, and that proves them ended. */
export interface Processes {
  /** Never rejects: what could not be started says so in its end. */
  runCommand(request: CommandRequest): Promise<CommandEnd>;
  openPeer(request: PeerRequest): Promise<PeerStart>;
  readonly background: Background;
  /** Ends what runtimes that died have left, and removes their folders. Touches nothing whose owner lives. */
  reapAbandoned(): Promise<Reaped[]>;
  readonly identity: ProcessIdentity;
  /** False only when that very process has certainly ended. */
  isAlive(identity: ProcessIdentity): boolean;
  /** Found out at the first question, by running it. */
  sandbox(): Promise<"namespace" | "none">;
  /** Stops everything that was started here, except what is to be kept, and resolves when that is proved. */
  close(): Promise<void>;
}

export function createProcesses(options: ProcessesOptions): Processes {
  const { clock, graceMs = 2000 } = options;
  const runFolder = openRunFolder(options.runFolder);
  const table = openProcessTable(process.platform);
  const identity = identify(table, process.pid) ?? { pid: process.pid, startTime: "", bootId: table.bootId };
  const owned = createOwned();
  let sandbox: ReturnType<typeof chooseSandbox> | undefined;
  const parts: ProcessParts = {
    table,
    clock,
    runFolder,
    graceMs,
    identity,
    owned,
    ticker: createTicker(clock),
    sandbox: () => (sandbox ??= probe()),
  };
  const background = createBackground(parts);

  async function probe(): ReturnType<typeof chooseSandbox> {
    try {
      return await chooseSandbox({ choice: options.sandbox, table, clock, runFolder });
    } catch (thrown) {
      // The run folder could not be used just now: the next command asks again.
      sandbox = undefined;
      throw thrown;
    }
  }

  let closing: Promise<void> | undefined;

  return {
    identity,
    background,
    runCommand: (request) => runCommand(parts, request),
    openPeer: (request) => openPeer(parts, request),
    reapAbandoned: () => reapAbandoned(parts),
    isAlive: (other) => isAlive(table, other),
    async sandbox() {
      const found = await parts.sandbox();
      return found && "bwrap" in found ? "namespace" : "none";
    },
    close: () => (closing ??= owned.endAll()),
  };
}
