import type { Clock } from "../../core/clock.ts";
import { cutMiddle } from "../../core/text.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { Job, Run } from "../../core/job.ts";
import type { RunContext, RunOutcome } from "../jobs/job-runner.ts";
import type { ScheduleParts } from "../schedule-parts.ts";
import type { ActiveRun, ActiveRuns } from "./active-runs.ts";
import { settleRun, settleUnbegun } from "./settle-run.ts";

/** Does the work of a run that this process has claimed, to its end. Rejects only when the store fails. */
export function carryOut(parts: ScheduleParts, active: ActiveRuns, { job, run }: Started): Promise<void> {
  const { store, clock, runner, emit } = parts;
  return active.hold(run, async (entry) => {
    const { id, fence, jobId, jobName, dueAt, trigger, attempt } = run;
    // Before the work begins: who finds a row `claimed` knows that nothing was done.
    const running = await store.changeRun(id, {
      from: ["claimed"],
      fence,
      set: { state: "running", startedAt: clock.now(), reason: null },
    });
    if (!running) return;
    if (entry.stoppedBy) return settleUnbegun(parts, run, entry.stoppedBy);
    emit("run:started", { id, jobId, jobName, dueAt, trigger, attempt });
    const outcome = await watch(parts, { job, entry }, (context) => runner.run(job, running, context));
    await settleRun(parts, { job, run: running, outcome, stoppedBy: entry.stoppedBy });
  });
}

/** Goes on with a run that another process had begun and this one has taken over. Undefined: its work is gone. */
export function adoptRun(parts: ScheduleParts, active: ActiveRuns, { job, run }: Started): Promise<void> | undefined {
  const { runner } = parts;
  // Known when `hold` returns: all up to there is done at once.
  let adopted: Promise<RunOutcome> | undefined;
  const held = active.hold(run, async (entry) => {
    const outcome = watch(parts, { job, entry }, (context) => {
      adopted = runner.adopt?.(job, run, context);
      return adopted ?? Promise.resolve(gone);
    });
    if (adopted) await settleRun(parts, { job, run, outcome: await outcome, stoppedBy: entry.stoppedBy });
  });
  return adopted && held;
}

export interface Started {
  readonly job: Job;
  readonly run: Run;
}

const gone: RunOutcome = { state: "failed", reason: null, summary: null };
const longestSummary = 2000;

/** Never rejects: the time limit, a cancel and a failure are outcomes. */
async function watch(
  { clock, store, settings }: ScheduleParts,
  { job, entry }: { readonly job: Job; readonly entry: ActiveRun },
  begin: (context: RunContext) => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const { run, signal } = entry;
  const endless = Promise.withResolvers<RunOutcome>();
  let cancelPatience = (): void => {};
  const limit = startLimit(clock, job.timeoutMs, () =>
    entry.stop("timeout", `It took longer than its limit of ${job.timeoutMs / 1000} s.`),
  );
  entry.onStop((cause) => {
    const patienceMs = cause === "close" ? settings.closeMs : settings.stopMs;
    cancelPatience();
    cancelPatience = clock.after(patienceMs, () => endless.resolve(didNotStop(patienceMs)));
  });
  const note: RunContext["note"] = async (found) => {
    const noted = await store.changeRun(run.id, { from: ["running"], fence: run.fence, set: found });
    if (!noted) entry.stop("taken_away", "Another process has taken the run over.");
  };
  try {
    const context: RunContext = {
      signal,
      stopCause: () => entry.stoppedBy?.cause,
      key: `${run.jobId}:${run.dueAt}`,
      note,
      standStill: limit.standStill,
    };
    const outcome = await Promise.race([begin(context), endless.promise]);
    return { ...outcome, summary: outcome.summary === null ? null : cutMiddle(outcome.summary, longestSummary) };
  } catch (thrown) {
    const state = isExhausted(thrown) ? "skipped" : "failed";
    return { state, reason: cutMiddle(messageOf(thrown), longestSummary), summary: null };
  } finally {
    limit.end();
    cancelPatience();
  }
}

/** The machine has no more files, processes, memory or disk space: no fault of the job. */
function isExhausted(thrown: unknown): boolean {
  if (exhausted.has(codeOf(thrown) ?? "")) return true;
  return thrown instanceof Error && thrown.cause !== undefined && isExhausted(thrown.cause);
}

const exhausted = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "ENOSPC", "EDQUOT", "STORE_FULL"]);

/** It may still be at work, so it is not tried again. */
function didNotStop(stopMs: number): RunOutcome {
  const reason = `It had not ended ${stopMs / 1000} s after it was told to.`;
  return { state: "failed", reason, summary: null, isHopeless: true };
}

export interface TimeLimit {
  /** Until what it returns is called, no time passes; as often as it is called, so often must that be. */
  readonly standStill: () => () => void;
  readonly end: () => void;
}

/** Calls back when so much time has passed while it did not stand still. */
export function startLimit(clock: Clock, limitMs: number, onOver: () => void): TimeLimit {
  let restMs = limitMs;
  let stillFor = 0;
  let isEnded = false;
  let begunAt = clock.monotonic();
  let cancel = clock.after(restMs, look);

  /** A timer may come too soon: none is longer than 24.8 days. */
  function look(): void {
    const leftMs = Math.ceil(restMs - (clock.monotonic() - begunAt));
    if (leftMs <= 0) onOver();
    else cancel = clock.after(leftMs, look);
  }

  function goOn(): void {
    stillFor -= 1;
    if (stillFor > 0 || isEnded) return;
    begunAt = clock.monotonic();
    cancel = clock.after(restMs, look);
  }

  return {
    standStill() {
      if (stillFor === 0) {
        cancel();
        restMs = Math.max(0, restMs - (clock.monotonic() - begunAt));
      }
      stillFor += 1;
      let isOver = false;
      return () => {
        if (!isOver) goOn();
        isOver = true;
      };
    },
    end() {
      isEnded = true;
      cancel();
    },
  };
}
