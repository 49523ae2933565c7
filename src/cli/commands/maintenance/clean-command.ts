import { toWire } from "../../../core/wire.ts";
import { cleanRecords, type CleanReport } from "../../../runtime/clean/clean-records.ts";
import { findLeftoverFolders, removeLeftoverFolders } from "../../../doctor/leftover-folders.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand clean` */
export async function runClean(invocation: Invocation, terminal: Terminal): Promise<number> {
  const isDryRun = invocation.has("dry-run");
  const executionsDays = readDays(invocation, "executions-days");
  const outputsDays = readDays(invocation, "outputs-days");
  const logDays = readDays(invocation, "log-days");
  const report = await cleanRecords({
    workdir: chooseWorkdir(invocation, terminal.env),
    env: terminal.env,
    isDryRun,
    retention: {
      ...(executionsDays === undefined ? {} : { executionsDays }),
      ...(outputsDays === undefined ? {} : { outputsDays }),
      ...(logDays === undefined ? {} : { logDays }),
    },
  });
  const leftovers = isDryRun ? findLeftoverFolders(terminal.env) : removeLeftoverFolders(terminal.env);
  if (invocation.has("json")) {
    const found = leftovers.length === 0 ? {} : { leftover_folders: leftovers };
    terminal.printJson({ dry_run: isDryRun, ...(toWire(times(report)) as object), ...found });
  } else terminal.print(describe(report, isDryRun) + describeLeftovers(leftovers, isDryRun));
  for (const problem of report.problems) terminal.tell(`deckhand: ${problem}`);
  return report.problems.length === 0 ? exitCode.done : exitCode.failed;
}

function readDays(invocation: Invocation, option: string): number | undefined {
  const given = invocation.value(option);
  if (given === undefined) return undefined;
  if (/^\d{1,5}(\.\d+)?$/.test(given)) return Number(given);
  throw new UsageError(`--${option} takes a number of days, got "${given}".`);
}

function describe({ executions, inbox, runs, tasks, outputs, log }: CleanReport, isDryRun: boolean): string {
  const verb = isDryRun ? "Would remove" : "Removed";
  const segments =
    log.before === null
      ? "The log is kept for ever (retention.log_days)."
      : `${verb} ${log.segments} closed files of the log (${log.lines} lines, ${log.bytes} bytes) older than ${dateOf(log.before)}.`;
  return [
    `${verb} ${executions.count} records of calls older than ${dateOf(executions.before)}.`,
    `${verb} ${inbox.count} settled entries of the inbox older than ${dateOf(inbox.before)}.`,
    `${verb} ${runs.count} runs of jobs that ended before ${dateOf(runs.before)}.`,
    `${verb} ${tasks.count} background tasks that ended before ${new Date(tasks.before).toISOString()}.`,
    `${verb} ${outputs.count} kept outputs (${outputs.bytes} bytes) older than ${dateOf(outputs.before)} or beyond the limit.`,
    segments,
    "",
  ].join("\n");
}

function describeLeftovers(folders: readonly string[], isDryRun: boolean): string {
  if (folders.length === 0) return "";
  const verb = isDryRun ? "Would remove" : "Removed";
  return `${verb} ${folders.length} empty folders that an earlier version left in the home folder: ${folders.join(", ")}.\n`;
}

function times({ executions, inbox, runs, tasks, outputs, log, problems }: CleanReport): object {
  const timeOf = (before: number): string => new Date(before).toISOString();
  return {
    executions: { ...executions, before: timeOf(executions.before) },
    inbox: { ...inbox, before: timeOf(inbox.before) },
    runs: { ...runs, before: timeOf(runs.before) },
    tasks: { ...tasks, before: timeOf(tasks.before) },
    outputs: { ...outputs, before: timeOf(outputs.before) },
    log: { ...log, before: log.before === null ? null : timeOf(log.before) },
    problems,
  };
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
