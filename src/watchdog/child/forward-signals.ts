import type { ProcessIdentity } from "../../core/process.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { sendSignal } from "../../process/stop/send-signal.ts";

/** Signals that mean nothing to a watchdog, and something to the command. */
export interface HandOn {
  /** Null: none runs, and what comes is for nobody. */
  setChild(child: ProcessIdentity | null): void;
  /** To the command itself, not to what it started. */
  send(signal: NodeJS.Signals): void;
}

export function createHandOn(table: ProcessTable): HandOn {
  let child: ProcessIdentity | null = null;
  return {
    setChild(next) {
      child = next;
    },
    send(signal) {
      const entry = child && table.find(child.pid);
      if (entry && entry.startTime === child?.startTime) sendSignal(table, entry, signal);
    },
  };
}
