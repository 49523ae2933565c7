import { printableJob } from "../../../schedule/jobs/job-view.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { neutralizeLine } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { tellUnserved, withSchedule, type ScheduleView } from "./with-schedule.ts";

/** `deckhand schedule pause NAME` */
export async function runSchedulePause(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withSchedule({ invocation, terminal }, async (view) => {
    const isNew = await view.schedule.pause(nameOf(invocation), decisionOf(view));
    return tell(view, isNew ? "is paused: nothing of it starts until you resume it." : "was paused already.");
  });
}

/** `deckhand schedule resume NAME` */
export async function runScheduleResume(invocation: Invocation, terminal: Terminal): Promise<number> {
  // What a job may do was a person's word, and so is that it goes on.
  refuseInsideCall(terminal);
  return withSchedule({ invocation, terminal }, async (view) => {
    const isNew = await view.schedule.resume(nameOf(invocation), decisionOf(view));
    const code = await tell(view, isNew ? "goes on; what was due meanwhile is skipped." : "was not paused.");
    if (!invocation.has("json")) await tellUnserved(view);
    return code;
  });
}

/** `deckhand schedule remove NAME` */
export async function runScheduleRemove(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  return withSchedule({ invocation, terminal }, async (view) => {
    const job = await view.schedule.remove(nameOf(invocation), decisionOf(view));
    if (invocation.has("json")) terminal.printJson(printableJob(view.runtime, job));
    else terminal.tell(neutralizeLine(`${job.name} is removed; its history stays.`));
    return exitCode.done;
  });
}

function nameOf({ positionals }: Invocation): string {
  return positionals[0]!;
}

function decisionOf({ invocation, by }: ScheduleView): { by: string; reason?: string } {
  const reason = invocation.value("reason");
  return { by, ...(reason === undefined ? {} : { reason }) };
}

async function tell({ invocation, terminal, runtime, schedule }: ScheduleView, what: string): Promise<number> {
  const job = await schedule.find(nameOf(invocation));
  if (invocation.has("json")) terminal.printJson(printableJob(runtime, job));
  else terminal.tell(neutralizeLine(`${job.name} ${what}`));
  return exitCode.done;
}
