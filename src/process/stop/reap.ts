import { readdirSync, renameSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { StopReport } from "../../core/process.ts";
import { keptMs, readBackgroundState } from "../background/background.ts";
import { runsInside } from "./processes-to-kill.ts";
import { isAlive } from "./process-identity-check.ts";
import { removeTraces } from "../sandbox/masks.ts";
import { isPrivateName } from "../sandbox/private-folder.ts";
import type { ProcessParts } from "../processes.ts";
import { type ProcessRecord, readRecord, removeRun } from "../run/run-folder.ts";
import { stopTree } from "./stop-tree.ts";
import { targetOf } from "./target-of.ts";

export interface Reaped {
  readonly executionId: string;
  readonly kind: ProcessRecord["kind"];
  readonly stop: StopReport;
}

/** How old a folder without a record must be before its maker is given up. */
const unrecordedMs = 60_000;

/**
 * Ends what dead runtimes left in the run folder and removes their folders.
 *
 * Several runtimes may do this at once: each takes a folder by renaming it, which only one can.
 */
export async function reapAbandoned(parts: ProcessParts): Promise<Reaped[]> {
  const names = readdirSync(parts.runFolder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const reaped = await Promise.all(names.map((name) => reapFolder(parts, name)));
  return reaped.filter((each) => each !== undefined);
}

async function reapFolder(parts: ProcessParts, name: string): Promise<Reaped | undefined> {
  const folder = join(parts.runFolder, name);
  if (isPrivateName(name)) {
    if (!takerLives(parts, name)) await removeRun(folder);
    return undefined;
  }
  const original = originalName(name);
  if (original !== name && takerLives(parts, name)) return undefined;
  const record = readRecord(folder);
  if (record && !isAlive(parts.table, record.child ?? record.owner)) {
    // Also of one that is kept for its output: the workdir must not be full of them.
    removeTraces(parts, { name, traces: record });
  }
  if (!isAbandoned(parts, { folder, record })) return undefined;
  if (runsInside(parts.table, targetOf(parts.table, { name: original, folder, record }))) return undefined;

  const taken = join(parts.runFolder, takenName(parts, original));
  try {
    renameSync(folder, taken);
  } catch {
    return undefined; // another runtime was first
  }
  const { table, clock, graceMs } = parts;
  const target = targetOf(table, { name: original, folder: taken, record });
  const stop = await stopTree(target, { table, clock, graceMs });
  removeTraces(parts, { name: basename(taken), traces: record });
  await removeRun(taken);
  return { executionId: record?.executionId ?? original, kind: record?.kind ?? "command", stop };
}

function isAbandoned(
  parts: ProcessParts,
  { folder, record }: { folder: string; record: ProcessRecord | undefined },
): boolean {
  if (parts.owned.folders.has(folder)) return false;
  if (!record) return ageOf(parts, folder) > unrecordedMs;
  if (isAlive(parts.table, record.owner)) return false;
  if (record.kind !== "background" || !record.keep) return true;
  // What is to be kept is kept; once it has ended, its output can still be read for a while.
  const now = readBackgroundState(parts.table, folder, record);
  return now.state !== "running" && (now.at === null ? ageOf(parts, folder) : parts.clock.now() - now.at) > keptMs;
}

function ageOf(parts: ProcessParts, folder: string): number {
  try {
    return parts.clock.now() - statSync(folder).mtimeMs;
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** `reaping,<pid>,<start time>,<name>`: a comma is in no execution id. */
function takenName({ identity }: ProcessParts, name: string): string {
  return ["reaping", identity.pid, identity.startTime.replaceAll(/\W/g, "_"), name].join(",");
}

function originalName(name: string): string {
  return name.startsWith("reaping,") ? name.split(",").slice(3).join(",") : name;
}

function takerLives({ table }: ProcessParts, name: string): boolean {
  const [, pid, startTime] = name.split(",");
  const entry = table.find(Number(pid));
  return entry !== undefined && entry.alive && entry.startTime.replaceAll(/\W/g, "_") === startTime;
}
