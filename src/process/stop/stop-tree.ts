import type { Clock } from "../../core/clock.ts";
import type { ProcessIdentity, ProcessNote, StopProof, StopReport } from "../../core/process.ts";
import { markerOf, type Run } from "../run/run-folder.ts";
import { isAlive } from "./process-identity-check.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { findVictims, isOurNumber, type Known, type Target } from "./processes-to-kill.ts";
import { sendSignal, signalGroups } from "./send-signal.ts";
import { wait } from "./wait.ts";

export interface StopTarget extends Target {
  /** The PID namespace it runs in; null when it runs in ours. */
  readonly namespace: {
    /** Its first process: when that is gone, the kernel has ended all the others. Null while it has none. */
    init(): ProcessIdentity | null;
    /** The command has not ended: if none of it can be seen, it is about to be started. */
    isBusy(): boolean;
    /** Lets init end by itself, so that it can tell how the command ended. Resolves when it had its chance. */
    release(): Promise<void>;
  } | null;
  /** One that only serves the others, and ignores SIGTERM: it is killed at once when they are gone. */
  isHelper?(entry: ProcessEntry): boolean;
}

export interface StopOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly graceMs: number;
  /** Called when there is something to end, which may take the grace. */
  readonly onLiving?: () => void;
}

interface Remainder {
  readonly left: readonly ProcessEntry[];
  /** The namespace has ended, or two complete looks found nothing. */
  readonly proved: boolean;
}

/** From the first SIGKILL on. */
const settleMs = 10_000;
/** How much longer when nothing was found but no look was complete, as where processes come and go all the time. */
const proofMs = 20_000;
/** So often a process that we may not signal is tried. */
const refusedRounds = 5;
const stepMs = 10;

/**
 * Ends every process of the target and looks until none is left:
 * 1. look, then SIGTERM to all (and SIGCONT to stopped ones, which could not react otherwise)
 * 2. up to `graceMs` for them to go
 * 3. SIGKILL to each as it is seen and to groups, look again, until the namespace has ended or two complete looks in a
 *    row find nothing, or 10 s are over
 *
 * Never rejects; what survives is in the report.
 */
export async function stopTree(target: StopTarget, options: StopOptions): Promise<StopReport> {
  const { table, clock } = options;
  const known: Known = new Map();
  const strangers: Known = new Map();
  const killed = new Map<number, ProcessNote>();
  const refused = new Set<number>();

  const workers = lookForWorkers();
  if (workers.length > 0) options.onLiving?.();
  const stubborn = await terminate(workers);
  if (stubborn.length === 0) await target.namespace?.release();
  const { left, proved } = await killUntilNone();

  const survivors = left.map(({ pid }) => ({ pid, command: table.describe(pid) }));
  for (const { pid } of left) killed.delete(pid);
  return { proof: proved ? proofOf() : "none", killed: [...killed.values()], survivors };

  async function terminate(workers: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
    const until = clock.monotonic() + options.graceMs;
    let living = workers;
    while (clock.monotonic() < until) {
      note(living);
      askToEnd(living);
      living = await waitForEnd(living, until);
      if (living.length > 0) break;
      // Those are gone; what they started on the way out, or what only comes up now, gets the rest of the grace.
      living = lookForWorkers();
      if (living.length > 0) continue;
      if (!target.namespace?.isBusy()) break;
      await wait(clock, stepMs);
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

  async function killUntilNone(): Promise<Remainder> {
    const until = clock.monotonic() + settleMs;
    // With its first process the kernel ends all the others, before they could be noted one by one.
    if (target.namespace) note(lookForWorkers());
    for (let round = 1, emptyLooks = 0; emptyLooks < 2; round++) {
      const { victims, complete } = findVictims(table, target, { known, strangers, found: kill });
      if (victims.length === 0 && endedWithNamespace()) break;
      if (complete && victims.length === 0) {
        emptyLooks += 1;
        continue;
      }
      emptyLooks = 0;
      if (victims.length === 0) await wait(clock, 1);
      signalGroups(table, groupsOf(victims), "SIGKILL");
      const living = await waitForEnd(victims, Math.min(until, clock.monotonic() + Math.min(20 * round, 200)));
      const hopeless = round >= refusedRounds && living.length > 0 && living.every(({ pid }) => refused.has(pid));
      const late = clock.monotonic() - until;
      if (hopeless || late >= (victims.length > 0 ? 0 : proofMs)) {
        return { left: findVictims(table, target, { known }).victims, proved: false };
      }
    }
    return { left: [], proved: true };
  }

  function kill(entry: ProcessEntry): void {
    if (isWorker(entry)) note([entry]);
    if (sendSignal(table, entry, "SIGKILL") === "refused") refused.add(entry.pid);
  }

  async function waitForEnd(entries: readonly ProcessEntry[], until: number): Promise<readonly ProcessEntry[]> {
    for (let living = entries; ;) {
      living = living.filter(({ pid, startTime }) => isAlive(table, { pid, startTime, bootId: table.bootId }));
      const restMs = until - clock.monotonic();
      if (living.length === 0 || restMs <= 0) return living;
      await wait(clock, Math.min(stepMs, restMs));
    }
  }

  function lookForWorkers(): ProcessEntry[] {
    return findVictims(table, target, { known, strangers }).victims.filter(isWorker);
  }

  /** Not a helper, nor the two processes that only hold the namespace up. */
  function isWorker(entry: ProcessEntry): boolean {
    if (target.isHelper?.(entry)) return false;
    return !target.namespace || (entry.pid !== target.root?.pid && entry.pid !== target.namespace.init()?.pid);
  }

  /** The groups that processes of the target opened; one may also sit in a group of somebody else. */
  function groupsOf(entries: readonly ProcessEntry[]): Set<number> {
    return new Set(entries.map(({ groupId }) => groupId).filter((group) => isOurNumber(table, group, known)));
  }

  function note(entries: readonly ProcessEntry[]): void {
    for (const { pid } of entries) {
      if (!killed.has(pid)) killed.set(pid, { pid, command: table.describe(pid) });
    }
  }

  function proofOf(): StopProof {
    if (endedWithNamespace()) return "namespace";
    return table.seesEnvironment ? "marker" : "group";
  }

  /** The kernel reports the first process of a namespace as ended only after it has ended all the others. */
  function endedWithNamespace(): boolean {
    const init = target.namespace?.init();
    return init !== undefined && init !== null && !isAlive(table, init);
  }
}

/** Ends, without a grace, what a start that failed half way may have left: all of it carries the marker. Never rejects. */
export async function endMarked(
  run: Run,
  { table, clock }: { readonly table: ProcessTable; readonly clock: Clock },
): Promise<void> {
  const target = { marker: markerOf(run.folder), root: null, outputPaths: new Set<string>(), namespace: null };
  try {
    await stopTree(target, { table, clock, graceMs: 0 });
  } catch {
    // Too many files are open to look at anything, and so there were to start anything.
  }
}
