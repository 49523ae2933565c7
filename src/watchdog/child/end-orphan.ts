import type { ProcessIdentity } from "../../core/process.ts";
import { identify, isAlive } from "../../process/stop/process-identity-check.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { endGroup, startVariable } from "./start-child.ts";
import type { WatchParts } from "./run-child.ts";
import type { WatchdogStatus } from "../records/status-file.ts";

/** Ends the child of a watchdog that was killed: two children at once would be one too many. */
export async function endOrphan(last: WatchdogStatus | null, parts: WatchParts): Promise<void> {
  const { settings, clock, table, emit, stop } = parts;
  if (isUntold(last, table)) emit({ type: "watchdog:warned", at: clock.now(), message: untold });
  const orphan = findOrphan(last, table);
  if (!orphan) return;
  await endGroup(orphan, { table, clock, graceMs: settings.graceMs, whenInsisted: stop.whenInsisted });
  emit({ type: "orphan:ended", at: clock.now(), pid: orphan.pid });
}

/** What a watchdog that does not run any more has left running; null when nothing is known of such. */
export function findOrphan(last: WatchdogStatus | null, table: ProcessTable): ProcessIdentity | null {
  const orphan = last?.child ?? findStarted(last?.startMark ?? null, table);
  return orphan && orphan.bootId === table.bootId && isAlive(table, orphan) ? orphan : null;
}

/** It was killed between a start and the record of it. */
function findStarted(mark: string | null, table: ProcessTable): ProcessIdentity | null {
  return mark !== null && table.seesEnvironment ? findEldest(table, `${startVariable}=${mark}`) : null;
}

function isUntold(last: WatchdogStatus | null, { seesEnvironment }: ProcessTable): boolean {
  return !seesEnvironment && !last?.child && (last?.startMark ?? null) !== null;
}

const untold =
  "The watchdog before this one was killed while it started the command, and this system does not tell what came of it: look with ps whether it runs twice now.";

/**
 * What the child starts inherits the mark, and may have a session of its own, in which it is to go on; but the child leads
 * a session as well, and was there before any of them.
 */
function findEldest(table: ProcessTable, assignment: string): ProcessIdentity | null {
  const leaders = table.processIds().flatMap((pid) => {
    const entry = table.find(pid);
    const isLeader = entry?.alive === true && entry.groupId === pid && entry.sessionId === pid;
    return isLeader && table.hasVariable(pid, assignment) ? [entry] : [];
  });
  const [eldest] = leaders.sort((one, other) => one.startOrder - other.startOrder);
  const identity = eldest ? identify(table, eldest.pid) : null;
  // Another one may have its number by now.
  return identity?.startTime === eldest?.startTime ? identity : null;
}
