import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { locateFolders } from "../../config/folders.ts";
import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Environment } from "../../core/process.ts";
import type { JournalMemory } from "../../core/stores.ts";
import { createCatalog } from "../../engine/catalog.ts";
import { readJournalMemory } from "../sqlite/sqlite-log-heads.ts";
import { openJournalCursor, type JournalCursor, type PlacedEntry } from "./log-cursor.ts";
import { type EntryQuery, filterOf, readEntries, type ReadEntry, readEntry, readLast } from "./read-entries.ts";
import { searchEntries, type EntryPlace, type EntrySearch, type FoundEntries } from "./search-entries.ts";
import { currentName, identityOf, listSegments, type Segment } from "./segments.ts";
import { verifyJournal } from "./verify/verify-log.ts";
import type { VerifyReport } from "./verify/verify-report.ts";

export { entryTypes } from "./log-entry.ts";
export type { EntryPlace, EntryQuery, EntrySearch, FoundEntries, JournalCursor };
export type { PlacedEntry, ReadEntry, VerifyReport };

/** The journal of a workdir, for those who only read it: no runtime, and nothing is written, not even a folder made. */
export interface JournalReader {
  readonly path: string;
  /** The last ones that fit, oldest first. */
  last(limit: number, query: EntryQuery): Promise<ReadEntry[]>;
  /** Those that are written from now on. */
  follow(query: EntryQuery, signal: AbortSignal): AsyncGenerator<ReadEntry>;
  /** From the end on, or from after an entry; null when there is no such entry any more. Close it. */
  cursor(after: EntryPlace | null): Promise<JournalCursor | null>;
  /** Newest first, a page at a time. */
  search(search: EntrySearch): Promise<FoundEntries>;
  find(given: string): Promise<FoundCall>;
  /** `head`: a hash that somebody noted. */
  verify(head?: string): Promise<VerifyReport>;
  statistics(since?: string): Promise<JournalStatistics>;
}

export function openJournalReader(workdir: string, env: Environment): JournalReader {
  const { logs: folder, database } = locateFolders(workdir, env);
  return {
    path: join(folder, currentName),
    last: (limit, query) => readLast(folder, limit, filterOf(canonical(query))),
    async *follow(query, signal) {
      const fits = filterOf(canonical(query));
      for await (const read of followJournal(folder, signal)) if (fits(read.entry)) yield read;
    },
    cursor: (after) => openJournalCursor(folder, after, systemClock),
    search: (search) => searchEntries(folder, { ...search, ...canonical(search) }),
    find: (given) => findCall(folder, given),
    verify: (head) =>
      verifyJournal({ folder, recall: () => recall(database, folder), ...(head === undefined ? {} : { head }) }),
    statistics: (since) => readStatistics(folder, since),
  };
}

/** Lines have the tool's own name, whatever it was asked for by. */
function canonical(query: EntryQuery): EntryQuery {
  if (!query.tools) return query;
  const catalog = createCatalog([]);
  return { ...query, tools: query.tools.flatMap((name) => [name, catalog.canonicalName(name) ?? name]) };
}

/** Or why the store can't be asked. Where there is neither a log nor a store, there is nothing to remember. */
function recall(database: string, folder: string): JournalMemory | string {
  try {
    const memory = readJournalMemory(database);
    if (memory) return memory;
    return listSegments(folder).length === 0 ? { heads: [], prunes: [] } : "there is no store";
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** What is known under a name: all lines of one call, or one line. */
export type FoundCall =
  | { readonly kind: "call"; readonly id: string; readonly entries: readonly ReadEntry[] }
  | { readonly kind: "line"; readonly entries: readonly ReadEntry[] }
  | { readonly kind: "several"; readonly ids: readonly string[] }
  | { readonly kind: "none" };

/** A whole id, as much of its beginning or end as only one has, or `writer:seq` (also just the beginning of the writer). */
export async function findCall(folder: string, given: string): Promise<FoundCall> {
  const wanted = given.trim().toLowerCase();
  const line = /^([0-9a-z_-]{1,64}):([1-9][0-9]*)$/.exec(wanted);
  return line ? findOne(folder, line[1]!, Number(line[2])) : findById(folder, wanted);
}

async function findById(folder: string, wanted: string): Promise<FoundCall> {
  const part = wanted.replace(/^[a-z]+_/, "");
  const byId = new Map<string, ReadEntry[]>();
  for await (const read of readEntries(folder, part)) {
    const id = read.entry["id"];
    if (typeof id !== "string") continue;
    if (id !== wanted && !id.endsWith(part) && !id.slice(id.indexOf("_") + 1).startsWith(part)) continue;
    const known = byId.get(id);
    if (known) known.push(read);
    else byId.set(id, [read]);
  }
  const ids = byId.has(wanted) ? [wanted] : [...byId.keys()];
  if (ids.length === 0) return { kind: "none" };
  if (ids.length > 1) return { kind: "several", ids };
  return { kind: "call", id: ids[0]!, entries: byId.get(ids[0]!)! };
}

async function findOne(folder: string, writer: string, seq: number): Promise<FoundCall> {
  const entries: ReadEntry[] = [];
  for await (const read of readEntries(folder, `"seq":${seq},`)) {
    if (read.entry["seq"] === seq && String(read.entry["writer"]).startsWith(writer)) entries.push(read);
  }
  const writers = new Set(entries.map(({ entry }) => String(entry["writer"])));
  if (writers.size > 1) return { kind: "several", ids: [...writers].map((each) => `${each}:${seq}`) };
  return entries.length > 0 ? { kind: "line", entries } : { kind: "none" };
}

export interface ToolStatistics {
  readonly tool: string;
  readonly calls: number;
  readonly ok: number;
  readonly errors: number;
  /** Of the errors: what a rule or a person refused. */
  readonly refused: number;
  /** Calls with wrong input, which never ran: neither ok nor errors of the tool. */
  readonly invalid: number;
  /** Of the errors: repeats of a failing call that were not run again. */
  readonly blocked: number;
  /** Of those that are ok: the first after one error or more in the same conversation. */
  readonly recovered: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface DayStatistics {
  readonly day: string;
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
}

export interface JournalStatistics {
  /** Most calls first. */
  readonly tools: readonly ToolStatistics[];
  /** Oldest first; days in UTC. */
  readonly days: readonly DayStatistics[];
  /** Errors in a row up to the last call, and the longest such row; each within one conversation. */
  readonly consecutiveErrors: number;
  readonly longestErrorRow: number;
}

interface Tally {
  calls: number;
  errors: number;
  refused: number;
  invalid: number;
  blocked: number;
  recovered: number;
  readonly latencies: number[];
}

/** Counted from the outcomes in the journal. `since`: only those of this time and later. */
export async function readStatistics(folder: string, since?: string): Promise<JournalStatistics> {
  const tools = new Map<string, Tally>();
  const days = new Map<string, Tally>();
  const errorRows = new Map<unknown, number>();
  let [consecutiveErrors, longestErrorRow] = [0, 0];
  for await (const { entry } of readEntries(folder, '"latency_ms":')) {
    if (entry["type"] !== "tool_result" && entry["type"] !== "tool_error") continue;
    const at = String(entry["at"]);
    if (since !== undefined && at < since) continue;
    const conversation = entry["conversation_id"] ?? null;
    const before = errorRows.get(conversation) ?? 0;
    count(tools, String(entry["tool_name"]), { entry, isRecovery: entry["status"] === "ok" && before > 0 });
    count(days, at.slice(0, 10), { entry, isRecovery: false });
    consecutiveErrors = entry["status"] === "ok" ? 0 : before + 1;
    longestErrorRow = Math.max(longestErrorRow, consecutiveErrors);
    errorRows.set(conversation, consecutiveErrors);
  }
  return {
    tools: [...tools]
      .map(([tool, { latencies, calls, errors, ...tally }]) => {
        const sorted = Float64Array.from(latencies).sort();
        const quantiles = { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
        return { tool, calls, ok: calls - errors - tally.invalid, errors, ...tally, ...quantiles };
      })
      .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
    days: [...days]
      .map(([day, { calls, errors, refused }]) => ({ day, calls, errors, refused }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
    consecutiveErrors,
    longestErrorRow,
  };
}

interface Outcome {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly isRecovery: boolean;
}

function count(into: Map<string, Tally>, key: string, { entry, isRecovery }: Outcome): void {
  const none: Tally = { calls: 0, errors: 0, refused: 0, invalid: 0, blocked: 0, recovered: 0, latencies: [] };
  const tally = into.get(key) ?? none;
  into.set(key, tally);
  tally.calls += 1;
  if (entry["error_type"] === "invalid_input" && entry["run_phase"] === "not_started") tally.invalid += 1;
  else if (entry["status"] !== "ok") tally.errors += 1;
  if (entry["error_type"] === "denied") tally.refused += 1;
  if (entry["error_type"] === "repeated_failure") tally.blocked += 1;
  if (isRecovery) tally.recovered += 1;
  const latency = entry["latency_ms"];
  if (typeof latency === "number") tally.latencies.push(latency);
}

/** The nearest rank; null when nothing was measured. */
function quantile(sorted: Float64Array, share: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const pollMs = 200;
/** How long a segment that was closed is still looked at: other writers may not have noticed yet. */
const lingerPolls = 10;

interface Followed {
  readonly segment: Segment;
  readonly identity: string | undefined;
  readonly file: FileHandle;
  position: number;
  rest: Buffer;
  pollsLeft: number;
}

/** Entries as they are written, from now on, over rotated segments, until the signal says enough. */
export async function* followJournal(folder: string, signal: AbortSignal): AsyncGenerator<ReadEntry> {
  let followed: Followed[] = [];
  try {
    const now = listSegments(folder).at(-1);
    if (now) followed.push(await openAt(now, "end"));
    while (!signal.aborted) {
      for (const each of followed) yield* readNew(each);
      for (const { segment, identity } of newSegments(folder, followed)) {
        const opened = await openAt(segment, "begin");
        if (opened.identity !== identity) {
          // Rotated meanwhile: the name means a later file, and the one it meant is found under its number the next time.
          await opened.file.close();
          break;
        }
        for (const older of followed) older.pollsLeft = Math.min(older.pollsLeft, lingerPolls);
        followed.push(opened);
        yield* readNew(opened);
      }
      followed = await dropOld(followed);
      await pause(signal);
    }
  } finally {
    await Promise.all(followed.map(({ file }) => file.close()));
  }
}

/** Those behind the one that is followed. What was renamed is still the same file. */
function newSegments(folder: string, followed: readonly Followed[]): Found[] {
  const known = new Set(followed.map(({ identity }) => identity));
  const segments = identify(folder);
  const last = segments.findLastIndex(({ identity }) => known.has(identity));
  return segments.slice(last + 1);
}

interface Found {
  readonly segment: Segment;
  readonly identity: string | undefined;
}

/** Names and files that belong together: a rotation in between would give the newest name another file. */
function identify(folder: string): Found[] {
  for (;;) {
    const segments = listSegments(folder);
    const found = segments.map((segment) => ({ segment, identity: identityOf(segment.path) }));
    if (listSegments(folder).length === segments.length) return found;
  }
}

async function openAt(segment: Segment, where: "begin" | "end"): Promise<Followed> {
  const file = await open(segment.path, "r");
  const stats = await file.stat({ bigint: true });
  return {
    segment,
    identity: `${stats.dev}:${stats.ino}`,
    file,
    position: where === "end" ? Number(stats.size) : 0,
    rest: Buffer.alloc(0),
    pollsLeft: Number.POSITIVE_INFINITY,
  };
}

async function* readNew(followed: Followed): AsyncGenerator<ReadEntry> {
  const block = Buffer.allocUnsafe(65_536);
  for (;;) {
    const { bytesRead } = await followed.file.read(block, 0, block.length, followed.position);
    if (bytesRead === 0) return;
    followed.position += bytesRead;
    let bytes = Buffer.concat([followed.rest, block.subarray(0, bytesRead)]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      const read = readEntry(bytes.subarray(0, end), followed.segment.name, null);
      bytes = bytes.subarray(end + 1);
      if (read) yield read;
    }
    followed.rest = bytes;
  }
}

async function dropOld(followed: readonly Followed[]): Promise<Followed[]> {
  const kept: Followed[] = [];
  for (const each of followed) {
    each.pollsLeft -= 1;
    if (each.pollsLeft > 0) kept.push(each);
    else await each.file.close();
  }
  return kept;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, pollMs);
    signal.addEventListener("abort", done);
  });
}
