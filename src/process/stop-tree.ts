import type { Clock } from "../core/clock.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import type { ProcessNote, StopProof, StopReport } from "../core/stop-report.ts";
import { findVictims } from "./find-victims.ts";
import type { Known, Target } from "./find-victims.ts";
import { isAlive } from "./identity.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { sendSignal, signalGroups } from "./send-signal.ts";
import { wait } from "./wait.ts";

export interface StopTarget extends Target {
  /** The PID namespace it runs in; null when it runs in ours. */
  readonly namespace: {
    /** Its first process: when that is gone, the kernel has ended all the others. Null while it has none. */
    init(): ProcessIdentity | null;
    /** Lets init end by itself, so that it can tell how the command ended. Resolves when it had its chance. */
    release(): Promise<void>;
  } | null;
}

export interface StopOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly graceMs: number;
  /** The command ended by itself: whatever is found was left behind and is listed, also when SIGTERM was enough. */
  readonly leftBehind?: boolean;
}

/** From the first SIGKILL on. */
const settleMs = 10_000;
/** So often a process that we may not signal is tried. */
const refusedRounds = 5;
const stepMs = 10;

/**
 * Ends every process of the target and looks until none is left:
 * 1. look, then SIGTERM to all (and SIGCONT to stopped ones, which could not react otherwise)
 * 2. up to `graceMs` for them to go
 * 3. SIGKILL to groups and to each, look again, until two looks in a row find nothing or 10 s are over
 *
 * Never rejects; what survives is in the report. A process that forks and leaves faster than /proc can be read is
 * ended for certain only inside a PID namespace.
 */
export async function stopTree(target: StopTarget, options: StopOptions): Promise<StopReport> {
  const { table, clock } = options;
  const known: Known = new Map();
  const killed = new Map<number, ProcessNote>();

  const first = lookForWorkers();
  if (options.leftBehind) note(first);
  const stubborn = await terminate(first);
  if (stubborn.length === 0) await target.namespace?.release();
  const left = await killUntilNone();

  const survivors = left.map(({ pid }) => ({ pid, command: table.describe(pid) }));
  for (const { pid } of left) killed.delete(pid);
  return { proof: proofOf(survivors), killed: [...killed.values()], survivors };

  async function terminate(workers: ProcessEntry[]): Promise<ProcessEntry[]> {
    const until = clock.monotonic() + options.graceMs;
    let living = workers;
    while (living.length > 0 && clock.monotonic() < until) {
      if (options.leftBehind) note(living);
      askToEnd(living);
      living = await waitForEnd(living, until);
      // Those are gone; what they started on the way out gets the rest of the grace.
      if (living.length === 0) living = lookForWorkers();
    }
    return living;
  }

  function askToEnd(workers: readonly ProcessEntry[]): void {
    // Inside a namespace the group also holds the outer bwrap, whose end would take everyone's grace away.
    if (!target.namespace) signalGroups(table, groupsOf(workers), "SIGTERM");
    for (const entry of workers) {
      sendSignal(table, entry, "SIGTERM");
      if (table.find(entry.pid)?.stopped) sendSignal(table, entry, "SIGCONT");
    }
  }

  async function killUntilNone(): Promise<ProcessEntry[]> {
    const until = clock.monotonic() + settleMs;
    let emptyLooks = 0;
    for (let round = 1; emptyLooks < 2; round++) {
      const living = findVictims(table, target, known);
      if (living.length === 0) {
        emptyLooks += 1;
        continue;
      }
      emptyLooks = 0;
      note(living.filter(isWorker));
      const allRefused = kill(living);
      await waitForEnd(living, Math.min(until, clock.monotonic() + Math.min(20 * round, 200)));
      const over = clock.monotonic() >= until || (allRefused && round >= refusedRounds);
      if (over) return findVictims(table, target, known);
    }
    return [];
  }

  function kill(living: readonly ProcessEntry[]): boolean {
    const init = living.filter(({ pid }) => pid === target.namespace?.init()?.pid);
    for (const entry of init) sendSignal(table, entry, "SIGKILL");
    signalGroups(table, groupsOf(living), "SIGKILL");
    return living.map((entry) => sendSignal(table, entry, "SIGKILL")).every((sent) => sent === "refused");
  }

  async function waitForEnd(entries: ProcessEntry[], until: number): Promise<ProcessEntry[]> {
    for (let living = entries; ;) {
      living = living.filter(({ pid, startTime }) => isAlive(table, { pid, startTime, bootId: table.bootId }));
      const restMs = until - clock.monotonic();
      if (living.length === 0 || restMs <= 0) return living;
      await wait(clock, Math.min(stepMs, restMs));
    }
  }

  function lookForWorkers(): ProcessEntry[] {
    return findVictims(table, target, known).filter(isWorker);
  }

  /** Not the two processes that only hold the namespace up. */
  function isWorker({ pid }: ProcessEntry): boolean {
    return !target.namespace || (pid !== target.root?.pid && pid !== target.namespace.init()?.pid);
  }

  /** The groups that processes of the target opened; one may also sit in a group of somebody else. */
  function groupsOf(entries: readonly ProcessEntry[]): Set<number> {
    return new Set(entries.map(({ groupId }) => groupId).filter((group) => known.has(group)));
  }

  function note(entries: readonly ProcessEntry[]): void {
    for (const { pid } of entries) {
      if (!killed.has(pid)) killed.set(pid, { pid, command: table.describe(pid) });
    }
  }

  function proofOf(survivors: readonly ProcessNote[]): StopProof {
    if (survivors.length > 0) return "none";
    const init = target.namespace?.init();
    if (init && !isAlive(table, init)) return "namespace";
    return table.seesEnvironment ? "marker" : "group";
  }
}
