import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isLogWhole } from "./background-pipe.ts";
import type { CommandExit } from "../run/run-request.ts";
import { findVictims } from "../stop/processes-to-kill.ts";
import { isAlive } from "../stop/process-identity-check.ts";
import { readStatus } from "../sandbox/namespace.ts";
import type { ProcessRecord } from "../run/process-record.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { targetOf } from "../stop/target-of.ts";

/** So long the output of a kept process can be read after it ended. */
export const keptMs = 60 * 60 * 1000;

export type BackgroundState =
  | { readonly state: "running" }
  /** `exit` is null when nobody was there to see how it ended. */
  | { readonly state: "exited" | "stopped"; readonly exit: CommandExit | null; readonly at: number | null };

/** What has become of a background process, told from its folder alone, in any process. */
export function readBackgroundState(table: ProcessTable, folder: string, record: ProcessRecord): BackgroundState {
  if (record.exitedAt !== null) {
    return { state: record.stopped ? "stopped" : "exited", exit: record.exit, at: record.exitedAt };
  }
  if (isRunning(table, folder, record) || !isLogWhole(table, folder)) return { state: "running" };
  const status = join(folder, "status");
  const exit = readStatus(readQuietly(status), () => readQuietly(join(folder, "messages")));
  return { state: "exited", exit, at: statSync(status, { throwIfNoEntry: false })?.mtimeMs ?? null };
}

function isRunning(table: ProcessTable, folder: string, record: ProcessRecord): boolean {
  const target = targetOf(table, { name: basename(folder), folder, record });
  if (record.child === null) {
    // Its owner is just starting it, or was killed before it could write down what it had started.
    return isAlive(table, record.owner) || findVictims(table, target, { known: new Map() }).victims.length > 0;
  }
  if (isAlive(table, record.child)) return true;
  // Somebody may have killed bwrap itself: what it held up then lives on under its first process.
  const init = record.keep ? target.namespace?.init() : null;
  return init ? isAlive(table, init) : false;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // there is none: it was not started through the shell, or it was killed
  }
}
