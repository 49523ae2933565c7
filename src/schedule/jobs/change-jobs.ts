import type { Clock } from "../../core/clock.ts";
import { RuntimeError } from "../../core/errors.ts";
import type { Emit } from "../../core/events.ts";
import type { Job, Run, ScheduleStore } from "../../core/job.ts";
import { nearest } from "../../core/text.ts";
import { defaultSettings, type ScheduleParts } from "../schedule-parts.ts";
import { openTimes } from "../times/times.ts";
import { createJob, type JobOrder } from "./create-job.ts";
import { newRun, resumeJob } from "./plan-job.ts";

/** What people do with jobs. Works without a scheduler in this process: whichever there is finds it in the store. */
export interface Jobs {
  /** Throws JOB_INVALID. */
  add(order: JobOrder, by: string): Promise<Job>;
  /** By name or id, also by enough of the id's beginning or end; throws JOB_UNKNOWN. */
  find(idOrName: string): Promise<Job>;
  /** False: it was paused already. */
  pause(idOrName: string, order: JobDecision): Promise<boolean>;
  /** False: it was not paused. What was due meanwhile is skipped. */
  resume(idOrName: string, order: JobDecision): Promise<boolean>;
  remove(idOrName: string, order: JobDecision): Promise<Job>;
  /** A run that is due now, also of a job that is paused. */
  runNow(idOrName: string, order: JobDecision): Promise<Run>;
}

export interface JobDecision {
  readonly by: string;
  readonly reason?: string;
}

export function createJobs(parts: { readonly store: ScheduleStore; readonly clock: Clock; readonly emit: Emit }): Jobs {
  const { store, clock, emit } = parts;

  const find = async (idOrName: string): Promise<Job> => findJob(await store.listJobs(), idOrName);

  return {
    find,
    async add(order, by) {
      const job = await createJob(order, clock.now());
      if (!(await store.addJob(job))) {
        throw new RuntimeError(
          "JOB_INVALID",
          `There is a job named "${job.name}": remove it first, or give this one another name.`,
        );
      }
      emit("job:changed", { id: job.id, name: job.name, change: "added", by, reason: null });
      return job;
    },
    async pause(idOrName, { by, reason = null }) {
      return pauseJob(parts, (await find(idOrName)).id, { by, reason });
    },
    async resume(idOrName, { by, reason = null }) {
      for (;;) {
        const job = await find(idOrName);
        if (!job.paused) return false;
        const times = await openTimes(job.when);
        const { staggerMs } = defaultSettings;
        const resumed = await store.plan(job.id, resumeJob(job, { times, now: clock.now(), staggerMs }));
        if (!resumed) continue; // Somebody changed it meanwhile: look again.
        emit("job:changed", { id: job.id, name: job.name, change: "resumed", by, reason });
        return true;
      }
    },
    async remove(idOrName, { by, reason = null }) {
      const job = await find(idOrName);
      await store.removeJob(job.id, { reason: `The job was removed by ${by}.`, at: clock.now() });
      emit("job:changed", { id: job.id, name: job.name, change: "removed", by, reason });
      return job;
    },
    async runNow(idOrName, { by }) {
      const job = await find(idOrName);
      const now = clock.now();
      // Earlier if that very time has a row: times to come are needed.
      for (let dueAt = now; ; dueAt--) {
        const run: Run = {
          ...newRun(job, dueAt, now),
          trigger: "person",
          startAt: now,
          reason: `${by} wanted it now.`,
        };
        if (await store.addRun(run)) return run;
      }
    },
  };
}

/** What is shorter fits by chance, and is more likely a name that was mistyped. */
const shortestPart = 4;

/** The job of this name or id, or the only one whose id begins or ends like this. Throws JOB_UNKNOWN for none and for several. */
function findJob(jobs: readonly Job[], idOrName: string): Job {
  const wanted = idOrName.trim();
  const found = jobs.find(({ id, name }) => id === wanted || name === wanted);
  if (found) return found;
  const similar = findByPart(jobs, wanted);
  if (similar.length === 1) return similar[0]!;
  if (similar.length > 1) {
    const named = similar.slice(0, 3).map(({ id, name }) => `${name} (${id})`);
    const rest = similar.length > named.length ? ", …" : "";
    throw new RuntimeError(
      "JOB_UNKNOWN",
      `"${wanted}" could be ${similar.length} jobs: ${named.join(", ")}${rest}. Give the name, or more of the id.`,
    );
  }
  throw new RuntimeError("JOB_UNKNOWN", `There is no job "${wanted}": ${hintAt(jobs, wanted)}`);
}

function findByPart(jobs: readonly Job[], wanted: string): Job[] {
  const part = wanted.toLowerCase().replace(/^job_/, "");
  if (part.length < shortestPart) return [];
  return jobs.filter(({ id }) => id.endsWith(part) || id.startsWith(`job_${part}`));
}

function hintAt(jobs: readonly Job[], wanted: string): string {
  const names = jobs.map(({ name }) => name);
  const near = nearest(wanted, names);
  if (near.length > 0) return `did you mean ${near.map((name) => `"${name}"`).join(" or ")}?`;
  return names.length > 0 ? `there are ${names.slice(0, 10).join(", ")}.` : "there are none yet.";
}

type Parts = Pick<ScheduleParts, "store" | "clock" | "emit">;

/** Pauses the job of a run that has just failed, if as many of its runs as it allows have failed one after the other. */
export async function pauseAfterFailures(parts: Parts, settled: Run): Promise<void> {
  const { store } = parts;
  if (!hasFailed(settled)) return;
  const job = await store.getJob(settled.jobId);
  if (!job || job.paused || job.pauseAfterFailures === 0) return;
  const ended = await store.listRuns({
    jobId: job.id,
    states: [...failures, "succeeded"],
    limit: job.pauseAfterFailures,
  });
  const counted = ended.filter(({ endedAt }) => endedAt !== null && endedAt >= job.countedFromAt);
  if (counted.length < job.pauseAfterFailures || !counted.every(hasFailed)) return;
  const failed = counted.length === 1 ? "A run" : `${counted.length} runs in a row`;
  await pauseJob(parts, settled.jobId, {
    by: "schedule",
    reason: `${failed} failed; the latest: ${settled.reason ?? settled.state}`,
  });
}

/** False: there is no such job, or it was paused. */
export async function pauseJob(
  { store, clock, emit }: Parts,
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string | null },
): Promise<boolean> {
  for (;;) {
    const job = await store.getJob(id);
    if (!job || job.paused) return false;
    const paused = await store.changeJob(id, job.version, { paused: { by, reason, at: clock.now() }, nextAt: null });
    if (!paused) continue; // Somebody changed it meanwhile: look again.
    emit("job:changed", { id, name: job.name, change: "paused", by, reason });
    return true;
  }
}

const failures = ["failed", "timed_out", "lost"] as const;

function hasFailed({ state }: Run): boolean {
  return failures.some((failure) => failure === state);
}
