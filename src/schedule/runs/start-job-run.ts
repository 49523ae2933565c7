import type { Job, Run, RunState } from "../../core/job.ts";
import { pauseAfterFailures } from "../jobs/change-jobs.ts";
import { type ScheduleParts, tellSettled } from "../schedule-parts.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { carryOut } from "./execute-run.ts";
import { delayOf } from "./jitter.ts";

export interface StartOptions {
  readonly active: ActiveRuns;
  readonly isClosing: () => boolean;
  /** Nobody will be there to try it again. */
  readonly isLastTry?: boolean;
}

export interface StartedRun {
  /** Settles when it has ended; missing when it was not started here. */
  readonly carriedOut?: Promise<void>;
  /** Another run was asked to end in favour of this one. */
  readonly hasCancelled?: boolean;
}

/**
 * Starts a run whose time has come, if nothing is in its way. Settles when that is decided.
 */
export async function startRun(
  parts: ScheduleParts,
  run: Run,
  { active, isClosing, isLastTry = false }: StartOptions,
): Promise<StartedRun> {
  const { store, owner } = parts;
  const job = await store.getJob(run.jobId);
  const refusal = refuse(job, run, parts.clock.now());
  if (refusal || !job) {
    await endUnstarted(parts, run, refusal ?? removed);
    return {};
  }
  const claim = await store.claim(run.id, { owner, alone: job.overlap !== "allow" });
  if (!claim) return {};
  if ("inTheWay" in claim) {
    return { hasCancelled: await giveWay(parts, { job, run, inTheWay: claim.inTheWay }) };
  }
  if (isClosing()) {
    await store.changeRun(run.id, {
      from: ["claimed"],
      fence: claim.claimed.fence,
      set: { state: "due", owner: null },
    });
    return {};
  }
  const started = { job: isLastTry ? { ...job, retries: 0 } : job, run: claim.claimed };
  return { carriedOut: carryOut(parts, active, started) };
}

const removed: End = { state: "cancelled", reason: "The job was removed." };

function refuse(job: Job | undefined, run: Run, now: number): End | undefined {
  if (!job) return removed;
  if (run.cancelReason !== null) return { state: "cancelled", reason: run.cancelReason };
  const isFirst = run.attempt === 1;
  if (job.paused && run.trigger !== "person") {
    const why = `The job was paused by ${job.paused.by}`;
    return isFirst ? { state: "skipped", reason: `${why}.` } : endOfTries(run, `${why}.`);
  }
  const { deadlineMs } = job;
  // Counted from the time at which it was to start.
  const lateMs = now - (isFirst ? run.dueAt + delayOf(job) : run.startAt);
  if (run.trigger === "person" || deadlineMs === null || lateMs <= deadlineMs) return undefined;
  const reason = `It could not start within ${deadlineMs / 1000} s of its time.`;
  return isFirst ? { state: "missed", reason } : endOfTries(run, reason);
}

async function giveWay(
  parts: ScheduleParts,
  { job, run, inTheWay }: { readonly job: Job; readonly run: Run; readonly inTheWay: Run },
): Promise<boolean> {
  const { store, clock } = parts;
  const skip = async (reason: string): Promise<false> => {
    await endUnstarted(parts, run, { state: "skipped", reason });
    return false;
  };
  if (job.overlap === "skip" && run.attempt === 1) {
    if (inTheWay.trigger === "person") return skip(`Run ${inTheWay.id}, which was started by hand, was running.`);
    if (inTheWay.startedAt !== null && inTheWay.startedAt <= run.startAt) {
      return skip(`An earlier run (${inTheWay.id}) was still running.`);
    }
    const reason = `It could not start at its time, and another run (${inTheWay.id}) was started first.`;
    await endUnstarted(parts, run, { state: "missed", reason });
    return false;
  }
  let hasCancelled = false;
  const others = (await store.listRuns({ jobId: job.id, states: ["due"], limit: 1000 })).filter(
    ({ id, startAt }) => id !== run.id && startAt <= clock.now(),
  );
  if (run.attempt === 1 && job.overlap === "queue_one" && others.some(({ dueAt }) => dueAt < run.dueAt)) {
    return skip("Another run of the job was waiting already.");
  }
  if (job.overlap === "cancel_old") {
    if (run.attempt === 1 && others.some(({ dueAt }) => dueAt > run.dueAt)) {
      return skip("A later run of the job took its place.");
    }
    if (inTheWay.cancelReason === null) {
      const reason = `A later run (${run.id}) took its place.`;
      hasCancelled = await store.requestCancel(inTheWay.id, { reason, at: clock.now() });
    }
  }
  if (run.waitsFor !== inTheWay.id) {
    await store.changeRun(run.id, { from: ["due"], set: { waitsFor: inTheWay.id } });
  }
  return hasCancelled;
}

interface End {
  readonly state: RunState;
  readonly reason: string;
}

/** Ends a run that is due, and is not to be begun any more. */
export async function endUnstarted(parts: ScheduleParts, run: Run, { state, reason }: End): Promise<void> {
  const ended = await parts.store.changeRun(run.id, {
    from: ["due"],
    set: { state, reason, endedAt: parts.clock.now(), waitsFor: null },
  });
  if (!ended) return;
  tellSettled(parts, ended);
  await pauseAfterFailures(parts, ended);
}

/** Of a run that is not tried again: what an earlier try came to is known, and is its end. */
export function endOfTries({ reason }: Run, why: string): End {
  return { state: "failed", reason: `${reason ?? ""} (${why})`.trim() };
}
