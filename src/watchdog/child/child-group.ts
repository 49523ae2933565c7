import type { Clock } from "../../core/clock.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { signalGroups } from "../../process/stop/send-signal.ts";
import { wait } from "../../process/stop/wait.ts";
import type { WhenItHappens } from "../restart-reason.ts";

/**
 * Signals what runs in the child's own process group. A process that left it for a session of its own, as every detached
 * task does, gets nothing, and neither does a stranger who has the child's number by now. Says whether anybody was there.
 */
export function signalChild(table: ProcessTable, child: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!runsInGroup(table, child)) return false;
  signalGroups(table, [child.pid], signal);
  return true;
}

export interface StopPath {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly graceMs: number;
  /** When nobody wants to wait for the grace to be over. */
  readonly whenInsisted: WhenItHappens;
}

/** SIGTERM, then SIGKILL. Resolves when nothing of the group runs any more. */
export async function endGroup(child: ProcessIdentity, path: StopPath): Promise<void> {
  const { table, clock, graceMs } = path;
  let isInsisted = false;
  const forget = path.whenInsisted(() => {
    isInsisted = true;
  });
  signalChild(table, child, "SIGTERM");
  // One that is held takes no SIGTERM before it goes on.
  signalChild(table, child, "SIGCONT");
  const began = clock.monotonic();
  while (runsInGroup(table, child)) {
    if (isInsisted || clock.monotonic() - began >= graceMs) signalChild(table, child, "SIGKILL");
    await wait(clock, lookEveryMs);
  }
  forget();
}

const lookEveryMs = 25;

function runsInGroup(table: ProcessTable, { pid, startTime, bootId }: ProcessIdentity): boolean {
  if (bootId !== table.bootId) return false;
  const leader = table.find(pid);
  if (leader) {
    if (leader.startTime !== startTime) return false;
    if (leader.alive) return true;
  }
  return table.processIds().some((each) => {
    const entry = table.find(each);
    return entry?.alive === true && entry.groupId === pid;
  });
}
