import { toWire } from "../../../core/wire.ts";
import type { JournalStatistics } from "../../../records/audit-log/log-reader.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { formatDuration } from "../../../core/time.ts";
import { openLog } from "./open-log-command.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** `deckhand log stats` */
export async function runLogStats(invocation: Invocation, terminal: Terminal): Promise<number> {
  const since = readSince(invocation.value("days"));
  const log = openLog(invocation, terminal);
  const statistics = await log.statistics(since);
  if (invocation.has("json")) terminal.printJson(toWire(statistics));
  else if (statistics.tools.length === 0) terminal.tell(`No calls in the log ${log.path}.`);
  else terminal.print(render(statistics, terminal));
  return exitCode.done;
}

function readSince(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const days = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (days > 0) return new Date(Date.now() - days * dayMs).toISOString();
  throw new UsageError(`--days takes a whole number greater than 0, got "${given}".`);
}

function render(statistics: JournalStatistics, { width }: Terminal): string {
  const { tools, days, consecutiveErrors, longestErrorRow } = statistics;
  const right = (title: string): { title: string; align: "right" } => ({ title, align: "right" });
  const byTool = renderTable({
    columns: [
      { title: "TOOL" },
      ...["CALLS", "OK", "ERRORS", "REFUSED", "INVALID", "BLOCKED", "RECOVERED", "P50", "P95"].map(right),
    ],
    rows: tools.map(({ tool, calls, ok, errors, refused, invalid, blocked, recovered, p50Ms, p95Ms }) => [
      tool,
      ...[calls, ok, errors, refused, invalid, blocked, recovered].map(String),
      ...[p50Ms, p95Ms].map((ms) => (ms === null ? "" : formatDuration(ms))),
    ]),
    width,
  });
  const byDay = renderTable({
    columns: [{ title: "DAY" }, ...["CALLS", "ERRORS", "REFUSED"].map(right)],
    rows: days.map(({ day, calls, errors, refused }) => [day, ...[calls, errors, refused].map(String)]),
    width,
  });
  const blocked = tools.reduce((sum, tool) => sum + tool.blocked, 0);
  const recovered = tools.reduce((sum, tool) => sum + tool.recovered, 0);
  const rows = `Blocked repeats: ${blocked} · recoveries: ${recovered} · consecutive errors: ${consecutiveErrors} (longest: ${longestErrorRow})`;
  return `${byTool}\n${byDay}\n${rows}\n`;
}
