import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { EndCause } from "../watchdog-events.ts";
import { writeWhole } from "./write-whole-record.ts";

/** One end of the child that was no orderly one. */
export interface CrashRecord {
  readonly v: 1;
  /** When it ended. */
  readonly at: number;
  readonly startedAt: number;
  readonly pid: number;
  readonly program: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cause: EndCause;
  readonly uptimeMs: number;
  /** It was an unhealthy end: one after a healthy run is recorded, too, but is part of no crash loop. */
  readonly counted: boolean;
  readonly safeMode: boolean;
  /** What a hung process was doing, as far as can be seen from outside. */
  readonly hang: string | null;
  /** The end of its output; of a hung one with the stack of what ran. */
  readonly lastLines: readonly string[];
}

/** The oldest go when there are more. */
const mostRecords = 50;

export function crashFolder(stateFolder: string): string {
  return join(stateFolder, "crashes");
}

export function writeCrashRecord(folder: string, record: CrashRecord): void {
  const name = `${new Date(record.at).toISOString().replaceAll(":", "-")}-${record.pid}.json`;
  writeWhole(join(folder, name), `${JSON.stringify(toWire(record), null, 2)}\n`);
  const names = listNames(folder);
  for (const old of names.slice(0, Math.max(0, names.length - mostRecords))) rmSync(join(folder, old), { force: true });
}

/** Oldest first. What can't be read as a record is left out: whoever reads them is starting after a crash. */
export function readCrashRecords(folder: string): CrashRecord[] {
  const records = listNames(folder).flatMap((name) => readRecord(join(folder, name)) ?? []);
  return records.sort((one, other) => one.at - other.at);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

function readRecord(path: string): CrashRecord | undefined {
  try {
    const record = fromWire(JSON.parse(readFileSync(path, "utf8"))) as Partial<CrashRecord>;
    const isWhole =
      record.v === 1 &&
      Number.isFinite(record.at) &&
      Number.isFinite(record.startedAt) &&
      typeof record.counted === "boolean" &&
      Array.isArray(record.lastLines);
    return isWhole ? (record as CrashRecord) : undefined;
  } catch {
    return undefined;
  }
}
