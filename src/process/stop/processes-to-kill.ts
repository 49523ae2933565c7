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

/** Pids with their start time. */
export type Known = Map<number, string>;

/** What stays the same from one look to the next. */
export interface Memory {
  /** Which were seen as part of the target. */
  readonly known: Known;
  /** Which had neither the marker nor the output: they don't get them later. */
  readonly strangers?: Known;
  readonly found?: (entry: ProcessEntry) => void;
}

export interface Look {
  readonly victims: readonly ProcessEntry[];
  /** False when processes came faster than they could be looked at: one of them may have been ours. */
  readonly complete: boolean;
}

/** A look that finds no end is given up; the caller looks again. */
const listsPerLook = 20;
const catchUpsPerLook = 500;
/** Another look follows anyway, so this one need not go to the end. */
const catchUpsAfterVictim = 20;
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
  { known, strangers = new Map(), found }: Memory,
): Look {
  const root = target.root?.bootId === table.bootId ? target.root : null;
  if (root) known.set(root.pid, root.startTime);
  const since = root ? table.orderOf(root.startTime) : 0;
  const untouchable = ownLine(table);
  const judged = new Set<number>();
  const timesUnanswered = new Map<number, number>();
  const others = new Set<ProcessEntry>();
  const victims: ProcessEntry[] = [];
  const start = table.idsSince(null);
  const complete = start ? catchUp(start.last) : listAgain();
  return { victims, complete };

  /**
   * One list, then each new id, until none is given any more. What goes before it could be judged leaves nothing unseen: whatever it
   * started got a later id, and is judged in its turn if it still lives.
   */
  function catchUp(last: number): boolean {
    let again = table.processIds().filter((pid) => judge(pid) === "unanswered");
    for (let reached = last, round = 0; round < (victims.length > 0 ? catchUpsAfterVictim : catchUpsPerLook); round++) {
      const since = table.idsSince(reached);
      if (!since) return false;
      if (since.ids.length === 0 && again.length === 0) return true;
      // Nothing else is new, so there is time for it to come up.
      if (since.ids.length === 0) sleepSync(1);
      const unanswered = again.filter((pid) => judge(pid) === "unanswered");
      // A process has its id for a moment before it can be seen, so one that is not there is asked for twice.
      const fresh = since.ids.filter((pid) => ["unanswered", "absent"].includes(judge(pid)));
      again = [...unanswered, ...fresh];
      reached = since.last;
    }
    return false;
  }

  /** Lists until everything in a list that is new could be judged: what went before that may have started something after the list. */
  function listAgain(): boolean {
    for (let round = 0; round < listsPerLook; round++) {
      const fresh = table.processIds().filter((pid) => !judged.has(pid));
      const allJudged = fresh.map((pid) => judge(pid)).every((answer) => answer === "judged");
      // The first round always meets zombies and takes long; the second one sees what came meanwhile.
      if (allJudged && round > 0) return true;
    }
    return false;
  }

  function judge(pid: number): "judged" | "absent" | "ended" | "unanswered" {
    judged.add(pid);
    if (untouchable.has(pid)) return "judged";
    const entry = table.find(pid);
    if (!entry) return "absent";
    if (!entry.alive) return "ended";
    if (entry.kernel || entry.startOrder < since) return "judged";
    const { startTime } = entry;
    const isOurs =
      known.get(pid) === startTime ||
      isRelative(table, entry, known) ||
      (strangers.get(pid) !== startTime && isMarked(table, target, pid));
    if (isOurs === false) strangers.set(pid, startTime);
    if (!isOurs) others.add(entry);
    else if (!table.isThread(pid)) claim(entry);
    if (isOurs !== undefined) return "judged";
    // In the middle of an exec a process shows no environment at all, so such a one is asked again.
    const times = (timesUnanswered.get(pid) ?? 0) + 1;
    timesUnanswered.set(pid, times);
    if (times >= timesAsked) return "judged";
    judged.delete(pid);
    return "unanswered";
  }

  function claim(entry: ProcessEntry): void {
    others.delete(entry);
    victims.push(entry);
    known.set(entry.pid, entry.startTime);
    found?.(entry);
    // Its children may have come first in the list.
    for (const other of others) if (isRelative(table, other, known)) claim(other);
  }
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

/** Without giving way to anything else: what keeps moving is only caught by somebody who keeps looking. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
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
