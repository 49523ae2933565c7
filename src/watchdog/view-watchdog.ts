import { findBareHolder } from "../process/detached/pid-file.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { crashFolder, readCrashRecords, type CrashRecord } from "./records/crash-records.ts";
import { findOrphan } from "./child/end-orphan.ts";
import { readWatchdogStatus, statusFile, type WatchdogStatus } from "./records/status-file.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

/** What is known of the watchdog of a workdir, from outside. */
export interface WatchdogView {
  /** `none`: there never was one; `dead`: it was killed, and what it watched may still run. */
  readonly state: WatchdogStatus["state"] | "none" | "dead";
  /** Null: it does not run. */
  readonly pid: number | null;
  /** What it watches; of one that is `dead`, what goes on without it. Null: nothing runs. */
  readonly childPid: number | null;
  readonly restarts: number;
  readonly safeMode: boolean;
  readonly nextStartAt: number | null;
  /** Of the last change, in words. */
  readonly reason: string | null;
  /** How many ends that were not orderly are on record, and the last of them without its lines. */
  readonly crashes: number;
  readonly lastCrash: Omit<CrashRecord, "v" | "program" | "lastLines"> | null;
}

export function viewWatchdog({
  pidFile,
  stateFolder,
}: Pick<WatchdogSettings, "pidFile" | "stateFolder">): WatchdogView {
  const table = openProcessTable(process.platform);
  const holder = findBareHolder(pidFile, table);
  const status = readWatchdogStatus(statusFile(stateFolder));
  const records = readCrashRecords(crashFolder(stateFolder));
  const isOver = status?.state === "failed" || status?.state === "stopped";
  return {
    state: holder || isOver ? (status?.state ?? "waiting") : status ? "dead" : "none",
    pid: holder?.pid ?? null,
    childPid: (holder ? status?.child : findOrphan(status, table))?.pid ?? null,
    restarts: status?.restarts ?? 0,
    safeMode: status?.safeMode ?? false,
    nextStartAt: holder ? (status?.nextStartAt ?? null) : null,
    reason: status?.reason ?? null,
    crashes: records.length,
    lastCrash: withoutLines(records.at(-1)),
  };
}

function withoutLines(record: CrashRecord | undefined): WatchdogView["lastCrash"] {
  if (!record) return null;
  const { v: _, program: _program, lastLines: _lines, ...rest } = record;
  return rest;
}
