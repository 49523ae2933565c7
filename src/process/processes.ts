import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { SandboxReport } from "../core/call.ts";
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { usualLogBytes } from "./background/background-log.ts";
import { type Background, createBackground } from "./background/background.ts";
import { createDetached, type Detached } from "./detached/detached.ts";
import { createTicker, type Ticker } from "./run/hold-run.ts";
import { openPeer, type PeerRequest, type PeerStart } from "./run/open-peer.ts";
import { createPipeStock, type PipeStock } from "./run/output-pipe.ts";
import { readFileEnd, type FileEnd } from "./run/read-file-end.ts";
import { runCommand } from "./run/run-command.ts";
import { openRunFolder, removeRun } from "./run/run-folder.ts";
import type { CommandEnd, CommandRequest, OutputStream, StartError } from "./run/run-request.ts";
import { openEnclosure, type Sandbox } from "./sandbox/enclosure.ts";
import { makePrivateFolder, type PrivateFolder, privateName } from "./sandbox/private-folder.ts";
import { chooseSandbox, type SandboxChoice } from "./sandbox/probe-sandbox.ts";
import type { SandboxView } from "./sandbox/sandbox-view.ts";
import { identify, isAlive } from "./stop/process-identity-check.ts";
import { openProcessTable, type ProcessTable } from "./stop/process-table.ts";
import { reapAbandoned, type Reaped } from "./stop/reap.ts";

export interface ProcessesOptions {
  /** A private folder; several runtimes may share it. Refused when it is a link or another user's. */
  readonly runFolder: string;
  readonly clock: Clock;
  /** `auto`: where it works; `require`: nothing starts without it. */
  readonly sandbox: SandboxChoice;
  /**
   * What commands may see and change; asked for each command. Without it there is only a PID namespace, which ends
   * what runs but hides and protects nothing, and is called no sandbox.
   */
  readonly view?: () => SandboxView;
  /** How long a stopped process may take after SIGTERM. */
  readonly graceMs?: number;
  /** How much of the output of a background process is kept, in bytes; 8 MB unless said. */
  readonly maxLogBytes?: number;
}

/** The one place that starts processes, and that proves them ended. */
export interface Processes {
  /** Never rejects: what could not be started says so in its end. */
  runCommand(request: CommandRequest): Promise<CommandEnd>;
  openPeer(request: PeerRequest): Promise<PeerStart>;
  /** What an execution's command has written so far, raw, whichever process started it; undefined when none runs. */
  readOutput(executionId: string, mostBytes: number): RunOutput | undefined;
  readonly background: Background;
  /** Programs that outlive this process; neither `reapAbandoned` nor `close` ends them. */
  readonly detached: Detached;
  /** Ends what runtimes that died have left, and removes their folders. Touches nothing whose owner lives. */
  reapAbandoned(): Promise<Reaped[]>;
  readonly identity: ProcessIdentity;
  /** False only when that very process has certainly ended. */
  isAlive(identity: ProcessIdentity): boolean;
  /** What holds the next command. Found out by running it, once for each profile. */
  sandbox(): Promise<SandboxReport>;
  /** Why commands are not held by a sandbox, as a sentence for a person; null when they are. Never rejects. */
  sandboxProblem(): Promise<string | null>;
  /** Stops everything that was started here, except what is to be kept, and resolves when that is proved. */
  close(): Promise<void>;
}

export function createProcesses(options: ProcessesOptions): Processes {
  const { clock, graceMs = 2000 } = options;
  const runFolder = openRunFolder(options.runFolder);
  const table = openProcessTable(process.platform);
  const identity = identify(table, process.pid) ?? { pid: process.pid, startTime: "", bootId: table.bootId };
  const owned = createOwned();
  const probes = new Map<string, ReturnType<typeof chooseSandbox>>();
  let privateFolder: PrivateFolder | undefined;
  const parts: ProcessParts = {
    table,
    clock,
    runFolder,
    graceMs,
    identity,
    owned,
    ticker: createTicker(clock),
    privateFolder: () => (privateFolder ??= openPrivateFolder()),
    maxLogBytes: options.maxLogBytes ?? usualLogBytes,
    pipes: createPipeStock(() => parts.privateFolder().path, owned),
    async sandbox() {
      const view = options.view?.() ?? null;
      const found = await probe(view);
      return "code" in found ? found : { sandbox: found, view };
    },
  };
  const background = createBackground(parts);

  function openPrivateFolder(): PrivateFolder {
    // Another runtime of this process has one of its own, and takes it away when it is closed.
    const path = mkdtempSync(join(runFolder, `${privateName(identity)},`));
    owned.folders.add(path);
    return makePrivateFolder(path);
  }

  function probe(view: SandboxView | null): ReturnType<typeof chooseSandbox> {
    const key = view === null ? "" : `${view.profile} ${view.network} ${view.workdir}`;
    const known = probes.get(key);
    if (known) return known;
    const probing = chooseSandbox({ choice: options.sandbox, ...parts, view });
    probes.set(key, probing);
    // The run folder could not be used just now: the next command asks again.
    probing.catch(() => probes.delete(key));
    return probing;
  }

  async function look(): Promise<{ readonly report: SandboxReport; readonly problem: string | null }> {
    const found = await parts.sandbox();
    if ("code" in found) return { report: noSandbox, problem: found.message };
    const { kind, problem } = found.sandbox;
    if (kind === "none" || !found.view) return { report: noSandbox, problem: tellProblem(problem) };
    const network = found.view.network || !found.sandbox.cutsNetwork;
    const limit = problem === null ? null : `The sandbox holds only a part: ${problem}.`;
    return { report: { kind, profile: found.view.profile, network }, problem: limit };
  }

  let closing: Promise<void> | undefined;

  return {
    identity,
    background,
    detached: createDetached(parts),
    runCommand: (request) => runCommand(parts, request),
    openPeer: (request) => openPeer(parts, request),
    readOutput: (executionId, mostBytes) => readRunOutput(runFolder, executionId, mostBytes),
    reapAbandoned: () => reapAbandoned(parts),
    isAlive: (other) => isAlive(table, other),
    sandbox: async () => (await look()).report,
    async sandboxProblem() {
      try {
        return (await look()).problem;
      } catch (thrown) {
        return tellProblem(messageOf(thrown));
      }
    },
    close: () => (closing ??= owned.endAll()),
  };
}

const noSandbox = openEnclosure.report;

function tellProblem(problem: string | null): string {
  return `Commands run without a sandbox: ${problem ?? "there is none"}.`;
}

type RunOutput = Readonly<Record<OutputStream, FileEnd>>;

/** What the newest command of an execution has written so far, whichever process started it. Undefined: none runs. */
function readRunOutput(runFolder: string, executionId: string, mostBytes: number): RunOutput | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(executionId)) return undefined;
  let folder: string | undefined;
  for (let number = 1; ; number++) {
    const next = join(runFolder, number === 1 ? executionId : `${executionId}.${number}`);
    if (!existsSync(next)) break;
    folder = next;
  }
  if (folder === undefined) return undefined;
  const [stdout, stderr] = [
    readFileEnd(join(folder, "stdout"), mostBytes),
    readFileEnd(join(folder, "stderr"), mostBytes),
  ];
  return stdout && stderr && { stdout, stderr };
}

/** Keeps account of what this process has started, and ends all of it. */
export interface OwnedRuns extends Owned {
  endAll(): Promise<void>;
}

function createOwned(): OwnedRuns {
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
