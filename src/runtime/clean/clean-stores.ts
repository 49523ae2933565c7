import { join } from "node:path";
import { undoFolder } from "../../agent/undo/pre-images.ts";
import type { Clock } from "../../core/clock.ts";
import type { InboxStore } from "../../core/approval-inbox-port.ts";
import type { ScheduleStore } from "../../core/schedule-store.ts";
import { encodeBody } from "../../records/audit-log/log-line.ts";
import { openJournal, type Journal } from "../../records/audit-log/open-log.ts";
import { pruneSegments } from "../../records/audit-log/prune-segments.ts";
import { openDatabase, type Database } from "../../records/sqlite/database.ts";
import { createSqliteInbox } from "../../records/sqlite/sqlite-approvals.ts";
import { createSqliteJournalHeads } from "../../records/sqlite/sqlite-log-heads.ts";
import { createSqliteScheduleStore } from "../../records/sqlite/sqlite-schedule-store.ts";
import { createSqliteStore } from "../../records/sqlite/sqlite-call-store.ts";
import { createSqliteTaskStore } from "../../records/sqlite/sqlite-task-store.ts";
import { findOldOutputs, removeOutputs } from "./clean-outputs.ts";
import { countExpired, removeExpired } from "./clean-tasks.ts";
import type { Configuration } from "../../config/configuration.ts";
import type { Folders } from "../../config/folders.ts";

/** Before which time something goes; null: it is kept for ever. */
export interface Cutoffs {
  readonly executions: number;
  readonly runs: number;
  readonly tasks: number;
  readonly outputs: number;
  readonly log: number | null;
}

export interface CleanParts {
  readonly folders: Folders;
  readonly configuration: Configuration;
  readonly cutoffs: Cutoffs;
  readonly maxOutputBytes: number;
  readonly clock: Clock;
  readonly isDryRun: boolean;
  readonly door: "cli" | "daemon" | "library";
  /** Instead of this machine's own. */
  readonly shared?: { readonly inbox: InboxStore; openSchedule(): Promise<ScheduleStore> };
  /** Leaves the rest for the next time. */
  readonly signal?: AbortSignal;
}

export interface Cleaned {
  readonly executions: number;
  readonly inbox: number;
  readonly runs: number;
  readonly tasks: number;
  readonly outputs: { readonly count: number; readonly bytes: number };
  readonly log: { readonly segments: number; readonly lines: number; readonly bytes: number };
  /** What could not be removed, in a sentence each. */
  readonly problems: readonly string[];
}

/**
 * Removes what is older than the cutoffs, in steps between which others get their turn. Told first, removed then: what can't
 * be told is kept. Two that clean at once tell the same twice, and remove it once.
 */
export async function cleanStores(parts: CleanParts): Promise<Cleaned> {
  const { folders, cutoffs, signal } = parts;
  const database = await openDatabase({ path: folders.database, clock: parts.clock });
  const heads = createSqliteJournalHeads(database);
  const problems: string[] = [];
  const journal = parts.isDryRun
    ? null
    : openJournal({
        folder: folders.logs,
        clock: parts.clock,
        heads,
        settings: { ...parts.configuration.log, onFailure: "refuse" },
        mask: (text) => text,
        onFailed: ({ error }) => void problems.push(error),
        about: { door: parts.door, command: "clean" },
      });

  async function clean({ what, before, count, remove }: Pile): Promise<number> {
    if (signal?.aborted) return 0;
    const found = await count(before);
    if (signal?.aborted || found === 0) return 0;
    await note(journal, { what, count: found, until: timeOf(before) });
    if (journal) await remove(before);
    return found;
  }

  try {
    const piles = await openPiles(parts, database);
    const executions = await clean(piles.executions);
    const inbox = await clean(piles.inbox);
    const runs = await clean(piles.runs);
    const tasks = await clean(piles.tasks);
    const outputs = await cleanOutputs(parts, journal);
    const before = signal?.aborted ? null : cutoffs.log;
    const log = before === null ? noLog : await pruneSegments({ folder: folders.logs, before, heads, journal });
    return { executions, inbox, runs, tasks, outputs, log, problems };
  } finally {
    await journal?.close();
    await database.close();
  }
}

const noLog = { segments: 0, lines: 0, bytes: 0 };

/** Rows of one kind. */
interface Pile {
  readonly what: string;
  readonly before: number;
  readonly count: (before: number) => Promise<number>;
  readonly remove: (before: number) => Promise<unknown>;
}

async function openPiles(parts: CleanParts, database: Database) {
  const { folders, cutoffs, shared, signal } = parts;
  const store = createSqliteStore(database);
  const inbox = shared?.inbox ?? createSqliteInbox(database);
  const schedule = (await shared?.openSchedule()) ?? createSqliteScheduleStore(database);
  const tasks = createSqliteTaskStore(database);
  return {
    executions: {
      what: "executions",
      before: cutoffs.executions,
      count: (before) => store.countPrunable(before, signal),
      remove: (before) => store.prune(before, signal),
    },
    // What was asked is kept as long as the call that asked it.
    inbox: {
      what: "inbox",
      before: cutoffs.executions,
      count: (before) => inbox.countPrunable(before),
      remove: (before) => inbox.prune(before),
    },
    runs: {
      what: "runs",
      before: cutoffs.runs,
      count: (before) => schedule.countPrunable(before),
      remove: (before) => schedule.prune(before),
    },
    tasks: {
      what: "tasks",
      before: cutoffs.tasks,
      count: (before) => countExpired(tasks, before),
      remove: (before) => removeExpired(tasks, before, join(folders.data, "tasks")),
    },
  } satisfies Record<string, Pile>;
}

async function cleanOutputs(parts: CleanParts, journal: Journal | null): Promise<Cleaned["outputs"]> {
  if (parts.signal?.aborted) return { count: 0, bytes: 0 };
  const folders = [parts.folders.outputs, undoFolder(parts.folders.data)];
  const found = await findOldOutputs({ folders, before: parts.cutoffs.outputs, maxBytes: parts.maxOutputBytes });
  const { paths, bytes, until } = found;
  await note(journal, { what: "outputs", count: paths.length, bytes, until: until === null ? null : timeOf(until) });
  if (journal) await removeOutputs(paths, folders, parts.signal);
  return { count: paths.length, bytes };
}

/** In the journal, where something is removed. */
async function note(
  journal: Journal | null,
  pruned: { readonly what: string; readonly count: number; readonly until: string | null; readonly bytes?: number },
): Promise<void> {
  if (!journal || pruned.count === 0) return;
  await journal.write([{ at: journal.now(), body: encodeBody({ type: "pruned", ...pruned }) }]);
}

function timeOf(ms: number): string {
  return new Date(Math.abs(ms) <= 8.64e15 ? ms : 0).toISOString();
}
