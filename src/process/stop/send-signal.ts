import { codeOf } from "../../core/errors.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";

/** `refused`: the process belongs to somebody we may not signal. */
export type Sent = "sent" | "gone" | "refused";

/** Signals that very process; a pid that was given to another one meanwhile gets nothing. */
export function sendSignal(table: ProcessTable, entry: ProcessEntry, signal: NodeJS.Signals): Sent {
  const now = table.find(entry.pid);
  if (!now?.alive || now.startTime !== entry.startTime) return "gone";
  return kill(entry.pid, signal);
}

/** Signals whole groups at once, which a process that keeps forking can't outrun. Never ours. */
export function signalGroups(table: ProcessTable, groups: Iterable<number>, signal: NodeJS.Signals): void {
  const ourGroup = table.find(process.pid)?.groupId;
  for (const group of groups) {
    if (group > 1 && group !== ourGroup && group !== process.pid) kill(-group, signal);
  }
}

function kill(pid: number, signal: NodeJS.Signals): Sent {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH" ? "gone" : "refused";
  }
}
