import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../core/process.ts";
import { fromWire, toWire } from "../core/wire.ts";
import { isAlive } from "../process/stop/process-identity-check.ts";
import { findHolder, takePidFile, type PidLock } from "../process/detached/pid-file.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { sendSignal, type Sent } from "../process/stop/send-signal.ts";

/** What the daemon of a workdir tells about itself, in `daemon.json` of the person's state folder. */
export interface DaemonFacts {
  /** `http://127.0.0.1:PORT`, or `unix:PATH`. */
  readonly url: string;
  readonly process: ProcessIdentity;
  readonly startedAt: number;
  readonly version: string;
}

/** One daemon for one workdir: who has this lock is it. A lock whose process has ended is taken over. */
export function takeDaemonPlace(stateFolder: string): PidLock {
  return takePidFile(lockFile(stateFolder), openProcessTable(process.platform), "daemon");
}

/** Never seen half written. */
export function publishDaemon(stateFolder: string, facts: DaemonFacts): void {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const path = factsFile(stateFolder);
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(toWire(facts), null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

export function withdrawDaemon(stateFolder: string): void {
  if (readFacts(stateFolder)?.process.pid === process.pid) rmSync(factsFile(stateFolder), { force: true });
}

/** The daemon that runs; null when there is none, whatever an earlier one has left. */
export function findDaemon(stateFolder: string): DaemonFacts | null {
  const facts = readFacts(stateFolder);
  return facts && isDaemonAlive(facts) ? facts : null;
}

/** The process that has the place and does not tell where it is: it is just starting. Null when there is none. */
export function findStartingDaemon(stateFolder: string): ProcessIdentity | null {
  return findDaemon(stateFolder) ? null : findHolder(lockFile(stateFolder), openProcessTable(process.platform));
}

/** False only when that very process has certainly ended. */
export function isDaemonAlive({ process: identity }: Pick<DaemonFacts, "process">): boolean {
  return isAlive(openProcessTable(process.platform), identity);
}

/** SIGTERM to that very process. */
export function signalDaemon({ process: { pid, startTime, bootId } }: Pick<DaemonFacts, "process">): Sent {
  const table = openProcessTable(process.platform);
  const entry = table.find(pid);
  // Of another boot, or of a container beside this one: the number is somebody else's here.
  if (!entry || bootId !== table.bootId || startTime !== entry.startTime) return "gone";
  const sent = sendSignal(table, entry, "SIGTERM");
  // One that is held takes no SIGTERM before it goes on.
  if (entry.stopped) sendSignal(table, entry, "SIGCONT");
  return sent;
}

function lockFile(stateFolder: string): string {
  return join(stateFolder, "daemon.lock");
}

function factsFile(stateFolder: string): string {
  return join(stateFolder, "daemon.json");
}

function readFacts(stateFolder: string): DaemonFacts | null {
  const path = factsFile(stateFolder);
  try {
    if (!lstatSync(path).isFile()) return null;
    const { url, process: named, startedAt, version } = Object(fromWire(JSON.parse(readFileSync(path, "utf8"))));
    const { pid, startTime, bootId } = Object(named);
    if (typeof url !== "string" || typeof pid !== "number" || typeof startTime !== "string") return null;
    if (typeof bootId !== "string" || typeof startedAt !== "number") return null;
    return { url, process: { pid, startTime, bootId }, startedAt, version: String(version) };
  } catch {
    return null; // None has run here, or what it left is no such file.
  }
}
