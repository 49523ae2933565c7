import type { ProcessIdentity } from "../core/process-identity.ts";
import { identify, isAlive } from "../process/identity.ts";
import type { ProcessTable } from "../process/process-table.ts";
import { startVariable } from "./child-environment.ts";
import { endGroup } from "./child-group.ts";
import type { WatchParts } from "./run-child.ts";
import type { WatchdogStatus } from "./status-file.ts";

/** Ends the child of a watchdog that was killed: two children at once would be one too many. */
export async function endOrphan(last: WatchdogStatus | null, parts: WatchParts): Promise<void> {
  const { settings, clock, table, emit, stop } = parts;
  const orphan = last?.child ?? findStarted(last?.startMark ?? null, parts);
  if (!orphan || orphan.bootId !== table.bootId || !isAlive(table, orphan)) return;
  await endGroup(orphan, { table, clock, graceMs: settings.graceMs, whenInsisted: stop.whenInsisted });
  emit({ type: "orphan:ended", at: clock.now(), pid: orphan.pid });
}

/** It was killed between a start and the record of it. */
function findStarted(mark: string | null, { table, clock, emit }: WatchParts): ProcessIdentity | null {
  if (mark === null) return null;
  if (table.seesEnvironment) return findEldest(table, `${startVariable}=${mark}`);
  const message =
    "The watchdog before this one was killed while it started the command, and this system does not tell what came of it: look with ps whether it runs twice now.";
  emit({ type: "watchdog:warned", at: clock.now(), message });
  return null;
}

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
