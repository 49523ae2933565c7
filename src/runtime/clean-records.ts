import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock, type Clock } from "../core/clock.ts";
import { encodeBody } from "../journal/journal-line.ts";
import { openJournal, type Journal } from "../journal/open-journal.ts";
import { pruneSegments } from "../journal/prune-segments.ts";
import { openDatabase } from "../store/database.ts";
import { createSqliteJournalHeads } from "../store/sqlite-journal-heads.ts";
import { createSqliteStore } from "../store/sqlite-store.ts";
import { createSqliteTaskStore } from "../store/sqlite-task-store.ts";
import { claimDataFolder } from "./claim-data-folder.ts";
import { undoFolder } from "../agent/undo/pre-images.ts";
import { cleanOutputs } from "./clean-outputs.ts";
import { countExpired, removeExpired } from "./clean-tasks.ts";
import type { Configuration } from "./configuration.ts";
import { locateFolders } from "./folders.ts";
import { loadConfiguration, type Environment } from "./load-configuration.ts";

export interface CleanReport {
  readonly executions: { readonly count: number; readonly before: number };
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
  const ago = (days: number): number => clock.now() - days * dayMs;
  const executionsBefore = ago(retention.executionsDays);
  const outputsBefore = ago(retention.outputsDays);
  const tasksBefore = clock.now() - retention.tasksMinutes * 60_000;
  const logBefore = retention.logDays === null ? null : ago(retention.logDays);
  if (!existsSync(folders.data)) return reportOf();

  claimDataFolder(folders);
  const database = await openDatabase({ path: folders.database, clock });
  const store = createSqliteStore(database);
  const heads = createSqliteJournalHeads(database);
  const problems: string[] = [];
  const journal = isDryRun
    ? null
    : openJournal({
        folder: folders.logs,
        clock,
        heads,
        settings: { ...configuration.log, onFailure: "refuse" },
        mask: (text) => text,
        onFailed: ({ error }) => void problems.push(error),
        about: { door: "cli", command: "clean" },
      });
  try {
    // Told first, removed then: what can't be told is kept.
    const executions = await store.countPrunable(executionsBefore);
    await note(journal, { what: "executions", count: executions, until: timeOf(executionsBefore) });
    if (journal && executions > 0) await store.prune(executionsBefore);
    const taskStore = createSqliteTaskStore(database);
    const tasks = await countExpired(taskStore, tasksBefore);
    await note(journal, { what: "tasks", count: tasks, until: timeOf(tasksBefore) });
    if (journal && tasks > 0) await removeExpired(taskStore, tasksBefore, join(folders.data, "tasks"));
    const kept = {
      folders: [folders.outputs, undoFolder(folders.data)],
      before: outputsBefore,
      maxBytes: retention.outputsMaxBytes,
    };
    const { files: count, bytes, until } = cleanOutputs({ ...kept, isDryRun: true });
    await note(journal, { what: "outputs", count, bytes, until: until === null ? null : timeOf(until) });
    if (journal) cleanOutputs({ ...kept, isDryRun: false });
    const log =
      logBefore === null ? undefined : await pruneSegments({ folder: folders.logs, before: logBefore, heads, journal });
    return reportOf({ executions, tasks, outputs: { count, bytes }, ...(log ? { log } : {}), problems });
  } finally {
    await journal?.close();
    await store.close();
  }

  function reportOf(done: Partial<Done> = {}): CleanReport {
    const { executions, tasks, outputs, log, problems: told } = { ...nothingDone, ...done };
    return {
      executions: { count: executions, before: executionsBefore },
      tasks: { count: tasks, before: tasksBefore },
      outputs: { ...outputs, before: outputsBefore },
      log: { ...log, before: logBefore },
      problems: told,
    };
  }
}

interface Done {
  readonly executions: number;
  readonly tasks: number;
  readonly outputs: { readonly count: number; readonly bytes: number };
  readonly log: { readonly segments: number; readonly lines: number; readonly bytes: number };
  readonly problems: readonly string[];
}

const nothingDone: Done = {
  executions: 0,
  tasks: 0,
  outputs: { count: 0, bytes: 0 },
  log: { segments: 0, lines: 0, bytes: 0 },
  problems: [],
};

/** In the journal, where something was removed. */
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
