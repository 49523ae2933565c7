import { existsSync, realpathSync } from "node:fs";
import { lstat, opendir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { undoFolder } from "../../agent/undo/pre-images.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type Folders, locateFolders } from "../../config/folders.ts";
import { loadConfiguration } from "../../config/load-configuration.ts";
import type { InboxStore } from "../../core/approval.ts";
import { systemClock, type Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { ScheduleStore } from "../../core/job.ts";
import { type Environment } from "../../core/process.ts";
import { taskStates, isFinalTask, type TaskStore } from "../../core/task.ts";
import { encodeBody } from "../../records/audit-log/log-line.ts";
import { openJournal, type Journal } from "../../records/audit-log/open-log.ts";
import { pruneSegments } from "../../records/audit-log/prune-segments.ts";
import { claimDataFolder } from "../../records/claim-data-folder.ts";
import { openDatabase, type Database } from "../../records/sqlite/database.ts";
import { createSqliteInbox } from "../../records/sqlite/sqlite-approvals.ts";
import { createSqliteStore } from "../../records/sqlite/sqlite-call-store.ts";
import { createSqliteJournalHeads } from "../../records/sqlite/sqlite-log-heads.ts";
import { createSqliteScheduleStore } from "../../records/sqlite/sqlite-schedule-store.ts";
import { createSqliteTaskStore } from "../../records/sqlite/sqlite-task-store.ts";
import { removeTaskFolder } from "../../tasks/manager/task-folder.ts";

export interface CleanReport {
  readonly executions: { readonly count: number; readonly before: number };
  /** Questions and approvals that were settled. */
  readonly inbox: { readonly count: number; readonly before: number };
  /** Runs of jobs that have ended. */
  readonly runs: { readonly count: number; readonly before: number };
  /** Background tasks that have ended, with their folders. */
  readonly tasks: { readonly count: number; readonly before: number };
  readonly outputs: { readonly count: number; readonly bytes: number; readonly before: number };
  /** `before` is null when the log is kept for ever. */
  readonly log: {
    readonly segments: number;
    readonly lines: number;
    readonly bytes: number;
    readonly before: number | null;
  };
  /** What could not be removed, in a sentence each. */
  readonly problems: readonly string[];
}

export interface CleanOptions {
  readonly workdir: string;
  readonly env: Environment;
  readonly isDryRun: boolean;
  readonly clock?: Clock;
  /** Instead of what the configuration says. */
  readonly retention?: Partial<Configuration["retention"]>;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Removes what is older than `retention` says, and says so in the journal. A dry run only counts. */
export async function cleanRecords(options: CleanOptions): Promise<CleanReport> {
  const { workdir, env, isDryRun, clock = systemClock } = options;
  const folders = locateFolders(workdir, env);
  const { configuration } = loadConfiguration({ workdir: folders.workdir, env, overrides: {}, isTrusted: () => false });
  const retention = { ...configuration.retention, ...options.retention };
  const known = { folders, configuration: { ...configuration, retention }, clock };
  if (existsSync(folders.data)) return cleanByRetention({ ...known, isDryRun, door: "cli" });
  return reportOf(nothing, cutoffsOf(known));
}

/** The same for what is configured and opened already. */
export async function cleanByRetention(parts: Omit<CleanParts, "cutoffs" | "maxOutputBytes">): Promise<CleanReport> {
  const cutoffs = cutoffsOf(parts);
  if (parts.configuration.store.kind === "memory") return reportOf(nothing, cutoffs);
  claimDataFolder(parts.folders);
  const { outputsMaxBytes: maxOutputBytes } = parts.configuration.retention;
  return reportOf(await cleanStores({ ...parts, cutoffs, maxOutputBytes }), cutoffs);
}

function cutoffsOf({ configuration, clock }: Pick<CleanParts, "configuration" | "clock">): Cutoffs {
  const { retention, schedule } = configuration;
  const ago = (days: number): number => clock.now() - days * dayMs;
  return {
    executions: ago(retention.executionsDays),
    runs: ago(schedule.historyDays),
    tasks: clock.now() - retention.tasksMinutes * 60_000,
    outputs: ago(retention.outputsDays),
    log: retention.logDays === null ? null : ago(retention.logDays),
  };
}

function reportOf(done: Cleaned, cutoffs: Cutoffs): CleanReport {
  return {
    executions: { count: done.executions, before: cutoffs.executions },
    inbox: { count: done.inbox, before: cutoffs.executions },
    runs: { count: done.runs, before: cutoffs.runs },
    tasks: { count: done.tasks, before: cutoffs.tasks },
    outputs: { ...done.outputs, before: cutoffs.outputs },
    log: { ...done.log, before: cutoffs.log },
    problems: done.problems,
  };
}

const nothing: Cleaned = {
  executions: 0,
  inbox: 0,
  runs: 0,
  tasks: 0,
  outputs: { count: 0, bytes: 0 },
  log: { segments: 0, lines: 0, bytes: 0 },
  problems: [],
};

/** Before which time something goes; null: it is kept for ever. */
interface Cutoffs {
  readonly executions: number;
  readonly runs: number;
  readonly tasks: number;
  readonly outputs: number;
  readonly log: number | null;
}

interface CleanParts {
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

interface Cleaned {
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
async function cleanStores(parts: CleanParts): Promise<Cleaned> {
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

const pageSize = 500;

/** How many background tasks ended before that time; those that still run never did. */
async function countExpired(store: TaskStore, before: number): Promise<number> {
  let count = 0;
  for (let beforeId: string | undefined; ;) {
    const states = taskStates.filter(isFinalTask);
    const page = await store.list({ limit: pageSize, states, ...(beforeId === undefined ? {} : { beforeId }) });
    count += page.filter(({ completedAt }) => completedAt !== null && completedAt < before).length;
    beforeId = page.at(-1)?.id;
    if (page.length < pageSize) return count;
  }
}

/** Their rows first: a folder without one is removed by whoever comes next. */
async function removeExpired(store: TaskStore, before: number, folder: string): Promise<void> {
  const expired = await store.prune(before);
  if (!existsSync(folder)) return;
  const tasksFolder = realpathSync(folder);
  for (const task of expired) await removeTaskFolder(tasksFolder, task.folder);
}

export interface OldOutputs {
  readonly paths: readonly string[];
  readonly bytes: number;
  /** When the youngest of them was written. */
  readonly until: number | null;
}

/**
 * Kept outputs, and what files were before tools changed them, that are too old and, from the oldest on, what is too much.
 * Links are left alone.
 */
async function findOldOutputs(options: {
  readonly folders: readonly string[];
  readonly before: number;
  readonly maxBytes: number;
}): Promise<OldOutputs> {
  const files: KeptFile[] = [];
  for (const folder of options.folders) for await (const file of walkFiles(folder)) files.push(file);
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  let kept = 0;
  const old = files.filter(({ writtenAt, bytes }) => {
    const isKept = writtenAt >= options.before && kept + bytes <= options.maxBytes;
    if (isKept) kept += bytes;
    return !isKept;
  });
  return {
    paths: old.map(({ path }) => path),
    bytes: old.reduce((sum, { bytes }) => sum + bytes, 0),
    until: old[0]?.writtenAt ?? null,
  };
}

/** One after the other, so that nobody waits for all of them; and folders that are empty then. */
async function removeOutputs(paths: readonly string[], tops: readonly string[], signal?: AbortSignal) {
  for (const path of paths) {
    if (signal?.aborted) return;
    await rm(path, { force: true });
  }
  for (const folder of new Set(paths.map((path) => dirname(path)))) await removeIfEmpty(folder, tops);
}

interface KeptFile {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

async function* walkFiles(folder: string): AsyncGenerator<KeptFile> {
  try {
    for await (const { name } of await opendir(folder)) {
      const path = join(folder, name);
      const stats = await lstat(path).catch(ignoreGone);
      if (stats?.isDirectory()) yield* walkFiles(path);
      else if (stats?.isFile()) yield { path, bytes: stats.size, writtenAt: stats.mtimeMs };
    }
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOTDIR") ignoreGone(thrown);
  }
}

/** Somebody else cleans, too. */
function ignoreGone(thrown: unknown): undefined {
  if (codeOf(thrown) !== "ENOENT") throw thrown;
}

async function removeIfEmpty(folder: string, tops: readonly string[]): Promise<void> {
  if (tops.includes(folder)) return;
  try {
    await rmdir(folder);
  } catch {
    return; // something is still in it
  }
  await removeIfEmpty(dirname(folder), tops);
}
