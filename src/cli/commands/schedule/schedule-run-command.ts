import { isFinalRun, type Run, type RunState } from "../../../core/job.ts";
import { printableRun } from "../../../schedule/jobs/job-view.ts";
import type { Invocation } from "../../parser/command.ts";
import { durationOfRun, resumeCommand } from "./describe-job.ts";
import { codeOfSignal, exitCode, type StopSignal } from "../../parser/exit-code.ts";
import { personConfig, refuseInsideCall } from "../agent/agent-flags.ts";
import { neutralizeLine, neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";
import { withSchedule, type ScheduleView } from "./with-schedule.ts";

const pollMs = 100;
/** How often it asks whether the daemon is still there. One that is started anew is gone for a moment only. */
const askMs = 2000;
const mostUnserved = 3;

/** `deckhand schedule run NAME` */
export async function runScheduleRun(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  return withSchedule({ invocation, terminal, config: personConfig(invocation, terminal) }, async (view) => {
    const { schedule, runtime } = view;
    const [name] = invocation.positionals as [string];
    // Somebody who serves the schedule has it under its own limits: more than one place to run it would be one too many.
    const isServed = (await schedule.isServed()) === "yes";
    if (isServed && invocation.has("detach")) return tellOrdered(view, await schedule.runNow(name, { by: view.by }));
    const stop = new AbortController();
    const watch = watchSignals(terminal, () => stop.abort());
    const stopNoticing = runtime.on("inbox:added", ({ id }) =>
      terminal.tell(`Waiting in the inbox as ${id}; look at it with \`deckhand inbox show ${id}\`.`),
    );
    try {
      const run = isServed
        ? await follow(view, await schedule.runNow(name, { by: view.by }), stop.signal)
        : await schedule.carryOut(name, { by: view.by, signal: stop.signal });
      if (isServed && !isFinalRun(run.state)) return tellLeft(view, run);
      tellEnd(view, run);
      if (!invocation.has("json")) await tellPaused(view, run);
      return codeOf(run.state, watch.signal);
    } finally {
      stopNoticing();
      watch.end();
    }
  });
}

/** It runs in the daemon; Ctrl-C cancels it there. A run that is not final: the daemon is gone. */
async function follow({ schedule, by }: ScheduleView, ordered: Run, signal: AbortSignal): Promise<Run> {
  let isCancelled = false;
  let askedAt = performance.now();
  let unserved = 0;
  for (let run = ordered; ; run = (await schedule.getRun(ordered.id)) ?? run) {
    if (isFinalRun(run.state)) {
      // A job is paused by a failure just after that is written.
      if (run.state !== "succeeded") await new Promise((resolve) => setTimeout(resolve, pollMs));
      return run;
    }
    if (signal.aborted && !isCancelled) {
      isCancelled = true;
      await schedule.cancelRun(run.id, `Cancelled by ${by}.`);
    }
    if (performance.now() - askedAt >= askMs) {
      askedAt = performance.now();
      unserved = (await schedule.isServed()) === "no" ? unserved + 1 : 0;
      if (unserved >= mostUnserved) return (await schedule.getRun(ordered.id)) ?? run;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Nobody is there to end it; nothing of it is lost for that. */
function tellLeft({ invocation, terminal, runtime }: ScheduleView, run: Run): number {
  if (invocation.has("json")) terminal.printJson(printableRun(runtime, run));
  const becomes =
    run.state === "due"
      ? "the next `deckhand serve` starts it"
      : "the next `deckhand serve` finds out what became of it";
  terminal.tell(
    neutralizeLine(
      `The daemon has ended, and nobody serves the schedule now. The run ${run.id} of ${runtime.maskValue(run.jobName)} is ${run.state}: ${becomes}.`,
    ),
  );
  return exitCode.failed;
}

function tellOrdered({ invocation, terminal, runtime }: ScheduleView, run: Run): number {
  if (invocation.has("json")) terminal.printJson(printableRun(runtime, run));
  else terminal.print(`${run.id}\n`);
  return exitCode.done;
}

function tellEnd({ invocation, terminal, runtime }: ScheduleView, run: Run): void {
  if (invocation.has("json")) return terminal.printJson(printableRun(runtime, run));
  const { state, reason, summary, jobName, taskId, sessionId } = runtime.maskValue(run);
  if (summary !== null) terminal.print(neutralizeText(summary.endsWith("\n") ? summary : `${summary}\n`));
  const took = durationOfRun(run, Date.now());
  const found = taskId === null ? (sessionId === null ? "" : ` Session ${sessionId}.`) : ` Task ${taskId}.`;
  const waits = state === "due" ? " It waits for another run, or for its next try." : "";
  const why = reason === null ? "." : `: ${reason}`;
  terminal.tell(neutralizeLine(`${jobName} ${state}${took === "" ? "" : ` after ${took}`}${why}${waits}${found}`));
}

/** Only when it was this run that paused the job. */
async function tellPaused({ terminal, schedule, runtime }: ScheduleView, run: Run): Promise<void> {
  // A job that is gone is not paused.
  const job = await schedule.find(run.jobId).catch(() => undefined);
  if (job?.paused?.by !== "schedule" || run.endedAt === null || job.paused.at < run.endedAt) return;
  const { pauseAfterFailures: count } = job;
  const name = runtime.maskValue(job.name);
  const failures = count === 1 ? "a failure" : `${count} failures in a row`;
  terminal.tell(neutralizeLine(`${name} is paused after ${failures}; resume it with ${resumeCommand(name)}.`));
}

function codeOf(state: RunState, signal: StopSignal | undefined): number {
  if (state === "succeeded") return exitCode.done;
  if (state === "cancelled") return signal ? codeOfSignal[signal] : exitCode.cancelled;
  return state === "timed_out" ? exitCode.timeLimit : exitCode.failed;
}
