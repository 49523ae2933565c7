import { join } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { JournalMemory } from "../../core/log-heads-port.ts";
import { createCatalog } from "../../engine/catalog.ts";
import { findCall, type FoundCall } from "./find-call.ts";
import { followJournal } from "./follow-log.ts";
import { openJournalCursor, type JournalCursor, type PlacedEntry } from "./log-cursor.ts";
import { readStatistics, type JournalStatistics } from "./log-statistics.ts";
import { filterOf, readLast, type EntryQuery, type ReadEntry } from "./read-entries.ts";
import { searchEntries, type EntryPlace, type EntrySearch, type FoundEntries } from "./search-entries.ts";
import { currentName, listSegments } from "./segments.ts";
import { verifyJournal } from "./verify/verify-log.ts";
import type { VerifyReport } from "./verify/verify-report.ts";
import { readJournalMemory } from "../sqlite/sqlite-log-heads.ts";
import { locateFolders } from "../../config/folders.ts";
import type { Environment } from "../../core/environment.ts";

export { entryTypes } from "./log-entry.ts";
export type { EntryPlace, EntryQuery, EntrySearch, FoundCall, FoundEntries, JournalCursor, JournalStatistics };
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
