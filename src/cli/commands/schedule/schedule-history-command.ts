import type { Run, RunState } from "../../../core/job.ts";
import { findWithRemoved } from "../../../schedule/jobs/find-with-removed.ts";
import type { Schedule } from "../../../schedule/schedule-service.ts";
import { printableRun } from "../../../schedule/jobs/job-view.ts";
import { type Invocation, readLimit } from "../../parser/command.ts";
import { durationOfRun, summarizeRun } from "./describe-job.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { withSchedule } from "./with-schedule.ts";

const defaultLimit = 20;

/** `deckhand schedule history [NAME]` */
export async function runScheduleHistory(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("limit"), defaultLimit);
  const [name] = invocation.positionals;
  return withSchedule({ invocation, terminal }, async ({ schedule, runtime }) => {
    const job = name === undefined ? undefined : await findWithRemoved(schedule, name);
    const runs = await schedule.runs({ limit, ...(job && { jobId: job.id }) });
    if (invocation.has("json")) terminal.printJson(runs.map((run) => printableRun(runtime, run)));
    else if (runs.length === 0) terminal.tell(job ? `${job.name} has not been due yet.` : "Nothing has been due yet.");
    else
      terminal.print(
        renderRuns(
          runs.map((run) => runtime.maskValue(run)),
          { terminal, schedule },
        ),
      );
    return exitCode.done;
  });
}

/** Latest first, in the time zone of the schedule. */
export function renderRuns(
  runs: readonly Run[],
  { terminal, schedule }: { readonly terminal: Terminal; readonly schedule: Pick<Schedule, "timeZone"> },
): string {
  const now = Date.now();
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: schedule.timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return renderTable({
    columns: [
      { title: "DUE" },
      { title: "JOB" },
      { title: "STATE" },
      { title: "BY" },
      { title: "TOOK", align: "right" },
      { title: "WHY OR WHAT" },
    ],
    rows: runs.map((run) => [
      format.format(run.dueAt),
      run.jobName,
      run.state,
      triggers[run.trigger],
      durationOfRun(run, now),
      summarizeRun(run),
    ]),
    width: terminal.width,
    style(cell, column) {
      const color = column === 2 ? colors[cell as RunState] : undefined;
      return color ? terminal.style(color, cell) : cell;
    },
  });
}

const triggers = { time: "time", catch_up: "catch-up", person: "person" } as const;

const colors: Readonly<Record<RunState, "green" | "red" | "yellow" | "cyan">> = {
  due: "cyan",
  claimed: "cyan",
  running: "cyan",
  succeeded: "green",
  failed: "red",
  timed_out: "red",
  skipped: "yellow",
  missed: "yellow",
  cancelled: "yellow",
  lost: "red",
};
