import { existsSync } from "node:fs";
import { systemClock, type Clock } from "../../core/clock.ts";
import { claimDataFolder } from "../../records/claim-data-folder.ts";
import { cleanStores, type Cleaned, type CleanParts, type Cutoffs } from "./clean-stores.ts";
import type { Configuration } from "../../config/configuration.ts";
import { locateFolders } from "../../config/folders.ts";
import { loadConfiguration } from "../../config/load-configuration.ts";
import { type Environment } from "../../core/environment.ts";

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
