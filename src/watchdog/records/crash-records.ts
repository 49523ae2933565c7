import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { CrashLoop, Promotion } from "../../core/stores.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { EndCause } from "../describe-event.ts";

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

/** Two can be chance. */
const leastDeaths = 3;
/** A loop whose last death is older is over: somebody stopped it. */
const recentMs = 10 * 60_000;
/** The longest delay between two starts, and some. */
const pauseMs = 2 * 60_000;
/** How long before the first death a promotion may have been to be blamed for it. */
const blameMs = 10 * 60_000;

/**
 * The crash loop that is going on, and the promotion it began with. The first death of a loop is often none that counts:
 * a daemon that had been healthy for days dies of the new version, and only its successors die young. After a version was
 * taken back, only what died since then speaks against another one.
 */
export function findCrashLoop(
  records: readonly CrashRecord[],
  promotions: readonly Promotion[],
  now: number,
): CrashLoop | null {
  const known = records.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
  const deaths = takeLoop(known, now);
  const [first] = deaths;
  const counted = deaths.filter((death) => death.counted).length;
  if (!first || counted < leastDeaths) return null;

  const takenBackAt = Math.max(...promotions.map(({ rolledBackAt }) => rolledBackAt ?? Number.NEGATIVE_INFINITY));
  const since = deaths.filter((death) => death.counted && death.startedAt >= takenBackAt).length;
  const candidates = promotions
    .filter(({ at, rolledBackAt }) => rolledBackAt === null && at <= first.at && at >= first.at - blameMs)
    .sort((one, other) => other.at - one.at);
  const promotion = since >= leastDeaths ? (candidates[0] ?? null) : null;
  return { beganAt: first.at, deaths: deaths.length, promotion };
}

/** Back from the newest, as long as one followed the other; with the death that came before the first young one. */
function takeLoop(records: readonly CrashRecord[], now: number): CrashRecord[] {
  const loop: CrashRecord[] = [];
  let nextStart = now;
  for (const record of records.toReversed()) {
    if (nextStart - record.at > (loop.length === 0 ? recentMs : pauseMs)) break;
    loop.unshift(record);
    if (!record.counted) break;
    nextStart = record.startedAt;
  }
  return loop;
}

/** Private, and never seen half written. */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, path);
}
