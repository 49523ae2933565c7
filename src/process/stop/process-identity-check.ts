import type { ProcessIdentity } from "../../core/process.ts";
import type { ProcessTable } from "./process-table.ts";

/** The process with this pid now; a zombie counts, because its parent still has to hear of its end. */
export function identify(table: ProcessTable, pid: number): ProcessIdentity | null {
  const entry = table.find(pid);
  return entry ? { pid, startTime: entry.startTime, bootId: table.bootId } : null;
}

/** False only when that very process has certainly ended. */
export function isAlive(table: ProcessTable, identity: ProcessIdentity): boolean {
  if (identity.bootId !== table.bootId) return table.mayBeRunningElsewhere(identity.bootId);
  const entry = table.find(identity.pid);
  return entry !== undefined && entry.alive && entry.startTime === identity.startTime;
}
