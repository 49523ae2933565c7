import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/process.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { writeWhole } from "./crash-records.ts";

/** What a watchdog does now, for whoever looks, and for the next one when this one is killed. */
export interface WatchdogStatus {
  readonly v: 1;
  readonly at: number;
  /** `waiting`: until the next start; `failed`: it gave up. */
  readonly state: "running" | "waiting" | "failed" | "stopped";
  readonly watchdogPid: number;
  readonly child: ProcessIdentity | null;
  /** The mark of a start under way: whether there is a child is not known yet. */
  readonly startMark: string | null;
  /** Starts after the first one. */
  readonly restarts: number;
  readonly safeMode: boolean;
  readonly nextStartAt: number | null;
  /** Of the last change, in words. */
  readonly reason: string | null;
}

export function statusFile(stateFolder: string): string {
  return join(stateFolder, "status.json");
}

export function writeWatchdogStatus(path: string, status: WatchdogStatus): void {
  writeWhole(path, `${JSON.stringify(toWire(status), null, 2)}\n`);
}

/** Null when there never was a watchdog, or its status can't be read. */
export function readWatchdogStatus(path: string): WatchdogStatus | null {
  try {
    const status = fromWire(JSON.parse(readFileSync(path, "utf8"))) as Partial<WatchdogStatus>;
    return status.v === 1 && typeof status.state === "string" ? (status as WatchdogStatus) : null;
  } catch {
    return null;
  }
}
