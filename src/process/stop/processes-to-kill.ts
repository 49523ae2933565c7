import type { ProcessIdentity } from "../../core/process.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";

/** Everything by which the processes of one command can be told from all others. */
export interface Target {
  /** `NAME=value` that every process of it inherited. */
  readonly marker: string;
  /** The process we started; null when that is not known any more. */
  readonly root: ProcessIdentity | null;
  readonly outputPaths: ReadonlySet<string>;
}

/** Which pids were seen as part of the target, with their start time. */
export type Known = Map<number, string>;

export interface Look {
  readonly victims: readonly ProcessEntry[];
  /** False when processes came and went faster than they could be looked at: one of them may have been ours. */
  readonly complete: boolean;
}

/** A look that finds no end is given up; the caller looks again. */
const roundsPerLook = 20;
/** How often a process that shows no environment is asked before that counts as its answer. */
const timesAsked = 5;

/**
 * The living processes of the target: what it started, directly or not; its session and groups and those its
 * children opened; whoever carries its marker or could write to its output files. Adds them to `known`, because a
 * process that left its session is found through its parent only as long as that one lives. Calls `found` for each at
 * once: one that keeps forking and leaving can only be caught in the very moment it is seen.
 *
 * Never this process, its ancestors, or pid 1.
 */
export function findVictims(
  table: ProcessTable,
  target: Target,
  { known, found }: { known: Known; found?: (entry: ProcessEntry) => void },
): Look {
  const root = target.root?.bootId === table.bootId ? target.root : null;
  if (root) known.set(root.pid, root.startTime);
  const since = root ? table.orderOf(root.startTime) : 0;
  const untouchable = ownLine(table);
  const judged = new Set<number>();
  const unanswered = new Map<number, number>();
  const others = new Set<ProcessEntry>();
  const victims: ProcessEntry[] = [];

  const claim = (entry: ProcessEntry): void => {
    others.delete(entry);
    victims.push(entry);
    known.set(entry.pid, entry.startTime);
    found?.(entry);
    // Its children may have come first in the list.
    for (const other of others) if (isRelative(table, other, known)) claim(other);
  };

  /** False when it went before it could be judged: what it left may not have been in the list. */
  const judge = (pid: number): boolean => {
    judged.add(pid);
    if (untouchable.has(pid)) return true;
    const entry = table.find(pid);
    if (!entry) return false;
    if (!entry.alive) return isInStrangersSession(entry);
    if (entry.kernel || entry.startOrder < since) return true;
    const isOurs =
      known.get(pid) === entry.startTime || isRelative(table, entry, known) || isMarked(table, target, pid);
    if (isOurs) claim(entry);
    else others.add(entry);
    if (isOurs !== undefined) return true;
    // In the middle of an exec a process shows no environment at all, so such a one is asked again.
    const times = (unanswered.get(pid) ?? 0) + 1;
    unanswered.set(pid, times);
    if (times < timesAsked) judged.delete(pid);
    return times >= timesAsked;
  };

  /**
   * A session is opened by its leader and inherited by what that starts, so one that a living stranger leads holds nothing of ours.
   * Our own session proves nothing: what we start begins in it.
   */
  const isInStrangersSession = ({ pid, sessionId }: ProcessEntry): boolean => {
    // Few zombies get past this: there may be thousands, and what keeps moving is only caught by a quick look.
    if (sessionId === pid || sessionId === 0) return false;
    const leader = table.find(sessionId);
    if (!leader?.alive || known.has(leader.pid)) return false;
    if (leader.startOrder >= since && ![...others].some((other) => other.pid === leader.pid)) return false;
    return ![...untouchable].some((own) => table.find(own)?.sessionId === sessionId);
  };

  for (let round = 0; round < roundsPerLook; round++) {
    const fresh = table.processIds().filter((pid) => !judged.has(pid));
    const allJudged = fresh.map((pid) => judge(pid)).every(Boolean);
    // The first round always meets zombies and takes long; the second one sees what came meanwhile.
    if (allJudged && round > 0) return { victims, complete: true };
  }
  return { victims, complete: false };
}

/** True when this process itself runs inside the target, so that ending it would mean ending ourselves. */
export function runsInside(table: ProcessTable, target: Target): boolean {
  const root = target.root?.bootId === table.bootId ? target.root : null;
  for (const pid of ownLine(table)) {
    if (pid > 1 && table.hasVariable(pid, target.marker)) return true;
    if (root && pid === root.pid && table.find(pid)?.startTime === root.startTime) return true;
  }
  return false;
}

function ownLine(table: ProcessTable): Set<number> {
  const line = new Set([0, 1]);
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = table.find(pid)?.parentPid)
    line.add(pid);
  return line;
}

/**
 * Is this number still one of ours? The kernel keeps it as long as a session or group goes by it, so when a stranger has
 * it by now, nothing of ours does. Asked anew for each process: where numbers are few, they come round within seconds.
 */
export function isOurNumber(table: ProcessTable, id: number, known: Known): boolean {
  const startTime = known.get(id);
  if (startTime === undefined) return false;
  const holder = table.find(id);
  if (!holder || holder.startTime === startTime) return true;
  known.delete(id);
  return false;
}

function isRelative(table: ProcessTable, entry: ProcessEntry, known: Known): boolean {
  return [entry.parentPid, entry.sessionId, entry.groupId].some((id) => isOurNumber(table, id, known));
}

/** Undefined when it could not answer. */
function isMarked(table: ProcessTable, target: Target, pid: number): boolean | undefined {
  const carries = table.hasVariable(pid, target.marker);
  return carries || table.writesTo(pid, target.outputPaths) || carries;
}
