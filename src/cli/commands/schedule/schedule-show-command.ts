import { toWire } from "../../../core/wire.ts";
import { printableJobPage } from "../../../schedule/jobs/job-view.ts";
import { type Invocation, readLimit, UsageError } from "../../parser/command.ts";
import { describeJob, describeNext } from "./describe-job.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { renderRuns } from "./schedule-history-command.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { tellUnserved, withSchedule } from "./with-schedule.ts";

const shownTimes = 5;
const shownRuns = 10;
/** A program gets more than a person wants to read. */
const printedTimes = 10;
const printedRuns = 50;

/** `deckhand schedule show NAME` */
export async function runScheduleShow(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [name] = invocation.positionals as [string];
  return withSchedule({ invocation, terminal }, async (view) => {
    const { schedule, runtime } = view;
    const job = await schedule.find(name);
    const asJson = invocation.has("json");
    const next = await schedule.next(job, asJson ? printedTimes : shownTimes);
    const runs = await schedule.runs({ jobId: job.id, limit: asJson ? printedRuns : shownRuns });
    if (asJson) {
      terminal.printJson(printableJobPage(runtime, { job, next, runs }));
      return exitCode.done;
    }
    terminal.print(neutralizeText(describeJob(runtime.maskValue(job), next)));
    if (runs.length > 0)
      terminal.print(
        `\n${renderRuns(
          runs.map((run) => runtime.maskValue(run)),
          { terminal, schedule },
        )}`,
      );
    await tellUnserved(view);
    return exitCode.done;
  });
}

/** `deckhand schedule next NAME`, or of times that are no job's yet */
export async function runScheduleNext(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [name] = invocation.positionals;
  const count = readLimit(invocation.value("limit"), shownTimes);
  const times = readTimes(invocation);
  if (name === undefined ? Object.keys(times).length === 0 : Object.keys(times).length > 0) {
    throw new UsageError("Give the name of a job, or --cron, --every or --at: deckhand schedule next [NAME].");
  }
  return withSchedule({ invocation, terminal }, async (view) => {
    const { schedule } = view;
    const job = name === undefined ? undefined : await schedule.find(name);
    const next = job ? await schedule.next(job, count) : await schedule.preview(times, count);
    if (invocation.has("json")) terminal.printJson(toWire({ next }));
    else if (next.length > 0) terminal.print(next.map((time) => `${describeNext(time)}\n`).join(""));
    else terminal.tell(job?.paused ? `${job.name} is paused: resume it first.` : "Never again.");
    if (job && !invocation.has("json")) await tellUnserved(view);
    return exitCode.done;
  });
}

/** The options that say when. */
export function readTimes(invocation: Invocation): { cron?: string; every?: string; at?: string; time_zone?: string } {
  const [cron, every, at, zone] = ["cron", "every", "at", "zone"].map((option) => invocation.value(option));
  if (every !== undefined && zone !== undefined) {
    throw new UsageError("--every counts from now, the same in every zone: leave --zone out, or say when by --cron.");
  }
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { every }),
    ...(at === undefined ? {} : { at }),
    ...(zone === undefined ? {} : { time_zone: zone }),
  };
}
