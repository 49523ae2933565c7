import type { ProcessIdentity } from "../core/process-identity.ts";
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

/**
 * The living processes of the target: what it started, directly or not; its session and groups and those its
 * children opened; whoever carries its marker or could write to its output files. Adds them to `known`, because a
 * process that left its session is found through its parent only as long as that one lives.
 *
 * Never this process, its ancestors, or pid 1.
 */
export function findVictims(table: ProcessTable, target: Target, known: Known): ProcessEntry[] {
  const entries = table.list();
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  const root = target.root?.bootId === table.bootId ? target.root : null;
  if (root) known.set(root.pid, root.startTime);

  const since = rootStart(byPid, root);
  const untouchable = ownLine(byPid);
  const candidates = entries.filter((entry) => entry.alive && entry.startOrder >= since && !untouchable.has(entry.pid));
  const owned = ownedIds(byPid, known);
  const victims = new Set<ProcessEntry>();

  const claim = (entry: ProcessEntry): void => {
    victims.add(entry);
    owned.add(entry.pid);
    known.set(entry.pid, entry.startTime);
  };
  const claimRelatives = (): void => {
    for (let before = -1; before < victims.size;) {
      before = victims.size;
      for (const entry of candidates) {
        if (!victims.has(entry) && isRelative(entry, owned)) claim(entry);
      }
    }
  };

  for (const entry of candidates) if (known.get(entry.pid) === entry.startTime) claim(entry);
  claimRelatives();
  for (const entry of candidates) {
    if (!victims.has(entry) && isMarked(table, target, entry)) claim(entry);
  }
  claimRelatives();
  return [...victims];
}

/** True when this process itself runs inside the target, so that ending it would mean ending ourselves. */
export function runsInside(table: ProcessTable, target: Target): boolean {
  const line = ownLine(new Map(table.list().map((entry) => [entry.pid, entry])));
  const root = target.root?.bootId === table.bootId ? target.root : null;
  for (const pid of line) {
    if (pid > 1 && table.hasVariable(pid, target.marker)) return true;
    if (root && pid === root.pid && table.find(pid)?.startTime === root.startTime) return true;
  }
  return false;
}

/** Nothing of the target is older than its root; that spares us the dear questions about everybody else. */
function rootStart(byPid: ReadonlyMap<number, ProcessEntry>, root: ProcessIdentity | null): number {
  if (!root) return 0;
  const entry = byPid.get(root.pid);
  if (entry?.startTime === root.startTime) return entry.startOrder;
  const ticks = Number(root.startTime);
  return Number.isNaN(ticks) ? Date.parse(root.startTime) : ticks;
}

function ownLine(byPid: ReadonlyMap<number, ProcessEntry>): Set<number> {
  const line = new Set([0, 1]);
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = byPid.get(pid)?.parentPid) line.add(pid);
  return line;
}

/** A number that a stranger has by now says nothing about sessions and groups any more. */
function ownedIds(byPid: ReadonlyMap<number, ProcessEntry>, known: Known): Set<number> {
  const owned = new Set<number>();
  for (const [pid, startTime] of known) {
    const holder = byPid.get(pid);
    if (!holder || holder.startTime === startTime) owned.add(pid);
  }
  return owned;
}

function isRelative(entry: ProcessEntry, owned: ReadonlySet<number>): boolean {
  return owned.has(entry.parentPid) || owned.has(entry.sessionId) || owned.has(entry.groupId);
}

function isMarked(table: ProcessTable, target: Target, entry: ProcessEntry): boolean {
  return table.hasVariable(entry.pid, target.marker) || table.writesTo(entry.pid, target.outputPaths);
}
