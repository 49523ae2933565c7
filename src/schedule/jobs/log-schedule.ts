import type { Emit } from "../../core/events.ts";
import type { Journal } from "../../records/audit-log/open-log.ts";

/** What becomes of jobs and their runs stands in the journal as well. */
export function logSchedule(emit: Emit, journal: Journal | null): Emit {
  if (!journal) return emit;
  return (type, payload) => {
    emit(type, payload);
    if (logged.has(type)) journal.appendBehind({ type: "schedule", event: type, ...payload });
  };
}

const logged: ReadonlySet<string> = new Set([
  "job:changed",
  "run:started",
  "run:retried",
  "run:settled",
  "clock:jumped",
]);
