import { printableJobView } from "../../../schedule/jobs/job-view.ts";
import type { JobView } from "../../../schedule/schedule-service.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeTimes, summarizeLast, summarizeWork } from "./describe-job.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { renderTable } from "../../terminal/table.ts";
import { fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { tellUnserved, withSchedule, type ScheduleView } from "./with-schedule.ts";

const widestName = 24;

/** `deckhand schedule [list]` */
export async function runScheduleList(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withSchedule({ invocation, terminal }, async (view) => {
    const { schedule, runtime } = view;
    const jobs = await schedule.list();
    if (invocation.has("json")) terminal.printJson(jobs.map((job) => printableJobView(runtime, job)));
    else if (jobs.length === 0) {
      terminal.tell('No jobs here. Add one: deckhand schedule add nightly --cron "0 2 * * *" --prompt "…"');
    } else {
      terminal.print(
        await renderJobs(
          view,
          jobs.map((job) => runtime.maskValue(job)),
        ),
      );
      await tellUnserved(view);
    }
    return exitCode.done;
  });
}

async function renderJobs({ schedule, terminal }: ScheduleView, jobs: readonly JobView[]): Promise<string> {
  const now = Date.now();
  const rows = jobs.map(async (view) => {
    const { job } = view;
    const [next] = await schedule.next(job, 1);
    return [
      fitWidth(job.name, widestName),
      describeTimes(job.when),
      job.paused ? "paused" : (next?.local ?? "-"),
      summarizeLast(view, now),
      summarizeWork(job.work),
    ];
  });
  return renderTable({
    columns: [{ title: "NAME" }, { title: "WHEN" }, { title: "NEXT" }, { title: "LAST" }, { title: "WHAT" }],
    rows: await Promise.all(rows),
    width: terminal.width,
    style: (cell, column) => paint(terminal, cell, column),
  });
}

function paint(terminal: Terminal, cell: string, column: number): string {
  if (column === 2 && cell === "paused") return terminal.style("yellow", cell);
  if (column !== 3) return cell;
  if (cell.startsWith("succeeded")) return terminal.style(cell.includes("missed") ? "yellow" : "green", cell);
  return /^(?:failed|timed_out|lost)/.test(cell) ? terminal.style("red", cell) : cell;
}
