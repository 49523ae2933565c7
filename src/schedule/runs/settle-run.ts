import type { Clock } from "../../core/clock.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { Emit } from "../../core/events.ts";
import type { Job, Run, RunSet, RunState, ScheduleStore } from "../../core/job.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { pauseAfterFailures } from "../jobs/change-jobs.ts";
import type { RunOutcome } from "../jobs/job-runner.ts";
import { tellSettled, type ScheduleParts } from "../schedule-parts.ts";
import type { ActiveRun } from "./active-runs.ts";

export interface EndedWork {
  readonly job: Job;
  /** `running`. */
  readonly run: Run;
  readonly outcome: RunOutcome;
  readonly stoppedBy: ActiveRun["stoppedBy"];
}

/** Records what came of the work: an end, another try, or that it goes on without us. */
export async function settleRun(parts: ScheduleParts, ended: EndedWork): Promise<void> {
  const { store, emit } = parts;
  const { run } = ended;
  const set = decide(parts, ended);
  const settled = await patiently(parts, () => store.changeRun(run.id, { from: ["running"], fence: run.fence, set }));
  // Another process thinks that this one is dead, and has decided what becomes of the run.
  if (!settled) return;
  if (settled.state === "due") {
    const { id, jobId, attempt, startAt } = settled;
    emit("run:retried", { id, jobId, attempt, startAt, reason: settled.reason ?? "" });
  }
  tellSettled(parts, settled);
  await pauseAfterFailures(parts, settled);
}

/** It was told to stop after it was claimed, and before its work began. */
export async function settleUnbegun(
  parts: ScheduleParts,
  { id, fence, reason }: Run,
  stoppedBy: NonNullable<ActiveRun["stoppedBy"]>,
): Promise<void> {
  const set: RunSet =
    stoppedBy.cause === "close"
      ? { ...again, startedAt: null, reason }
      : { state: "cancelled", reason: stoppedBy.reason, endedAt: parts.clock.now() };
  const settled = await parts.store.changeRun(id, { from: ["running"], fence, set });
  if (settled) tellSettled(parts, settled);
}

/** The owner of a run died while it ran. */
export async function settleLost(
  parts: ScheduleParts,
  { job, run }: { readonly job: Job | undefined; readonly run: Run },
): Promise<void> {
  const { store, clock, emit } = parts;
  const now = clock.now();
  const unknown = "The process that ran it ended first, so nobody knows how far it came.";
  const mayRepeat = job?.isIdempotent === true && run.attempt <= Math.max(1, job.retries) && run.cancelReason === null;
  const set: RunSet = mayRepeat
    ? { ...again, attempt: run.attempt + 1, startAt: now, reason: unknown }
    : { state: "lost", endedAt: now, reason: unknown };
  const settled = await store.changeRun(run.id, { from: ["running"], fence: run.fence, set });
  if (!settled) return;
  const { id, jobId, attempt } = settled;
  if (mayRepeat) emit("run:retried", { id, jobId, attempt, startAt: now, reason: unknown });
  tellSettled(parts, settled);
  await pauseAfterFailures(parts, settled);
}

const firstPauseMs = 1000;
const longestPauseMs = 32_000;

/** How the work ended is known only here: a store that fails for a while must not make it unknown. */
async function patiently<Result>(parts: ScheduleParts, attempt: () => Promise<Result>): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    try {
      return await attempt();
    } catch (thrown) {
      if (pauseMs > longestPauseMs || codeOf(thrown) === "STORE_CLOSED") throw thrown;
      parts.emit("schedule:failed", { jobId: null, error: messageOf(thrown) });
    }
    await new Promise<void>((resolve) => void parts.clock.after(pauseMs, resolve));
  }
}

const again = { state: "due", owner: null, waitsFor: null } as const;

function decide({ clock, settings }: ScheduleParts, { job, run, outcome, stoppedBy }: EndedWork): RunSet {
  const now = clock.now();
  const { summary } = outcome;
  if (outcome.state === "left") return { owner: null };
  const state = endStateOf(outcome, stoppedBy?.cause);
  const isHopeful = outcome.isHopeless !== true;
  const reason = state === "succeeded" ? null : reasonOf(outcome, stoppedBy);
  if (stoppedBy?.cause === "close" && state === "cancelled" && job.isIdempotent && isHopeful) {
    return { ...again, startAt: now, reason };
  }
  // The only time that it has: when what is in its way is gone, it runs.
  if (state === "skipped" && !stoppedBy && "at" in job.when && now - run.dueAt < job.missed.windowMs) {
    return { ...again, startAt: now + settings.putOffMs, startedAt: null, reason };
  }
  const hasFailed = state === "failed" || state === "timed_out";
  if (hasFailed && isHopeful && run.attempt <= job.retries) {
    const pauseMs = Math.min(settings.longestRetryMs, settings.retryMs * 2 ** (run.attempt - 1));
    return {
      ...again,
      attempt: run.attempt + 1,
      startAt: now + pauseMs,
      reason: `Attempt ${run.attempt} ${state === "failed" ? "failed" : "timed out"}: ${reason}`,
      summary,
    };
  }
  return { state, reason, summary, endedAt: now };
}

function reasonOf({ reason, isHopeless }: RunOutcome, stoppedBy: EndedWork["stoppedBy"]): string {
  if (!stoppedBy) return reason ?? "It gave no reason.";
  return isHopeless === true && reason !== null ? `${stoppedBy.reason} ${reason}` : stoppedBy.reason;
}

/** Work that was told to stop and came to its end all the same has that end. */
function endStateOf(outcome: RunOutcome, cause: NonNullable<EndedWork["stoppedBy"]>["cause"] | undefined): RunState {
  if (outcome.state === "succeeded" || outcome.state === "left") return "succeeded";
  if (cause === undefined) return outcome.state;
  return cause === "timeout" ? "timed_out" : "cancelled";
}

/**
 * A run as it stands, for who reads it while nobody serves the schedule: a row keeps saying `running` when its process was killed,
 * until a scheduler settles it. Nothing is written for that. Who lives is asked of the store where machines share it.
 */
export async function showRun(run: Run, isAlive: (owner: ProcessIdentity) => boolean | Promise<boolean>): Promise<Run> {
  const isUnderWay = run.state === "claimed" || run.state === "running";
  // The task of an agent goes on without the process that ordered it, and is adopted.
  if (!isUnderWay || run.owner === null || run.taskId !== null) return run;
  if (await hasLife(run.owner, isAlive)) return run;
  // Nothing was done yet: it is due again.
  if (run.state === "claimed") return { ...run, state: "due", owner: null };
  return { ...run, state: "lost", reason: "Its process is gone, so nobody knows how far it came." };
}

/** As long as it can't be found out, nobody says that it is gone. */
async function hasLife(
  owner: ProcessIdentity,
  isAlive: (owner: ProcessIdentity) => boolean | Promise<boolean>,
): Promise<boolean> {
  try {
    return await isAlive(owner);
  } catch {
    return true;
  }
}

const dayMs = 24 * 60 * 60_000;

/** Removes rows of runs that ended long ago, now and once a day; stops when what it returns is called. */
export function pruneRunsDaily(parts: {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly keptDays: number;
}): () => void {
  const { store, clock, emit, keptDays } = parts;
  let cancel = (): void => {};

  function prune(): void {
    cancel = clock.after(dayMs, prune);
    store
      .prune(clock.now() - keptDays * dayMs)
      .catch((thrown: unknown) => emit("schedule:failed", { jobId: null, error: messageOf(thrown) }));
  }

  prune();
  return () => cancel();
}
