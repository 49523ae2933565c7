import { isFinalRun, type Job, type JobChange, type Run, type RunQuery, type ScheduleStore } from "../../core/job.ts";
import { cancelRun, changeRun, createStagger } from "../store-rules.ts";

/** Jobs for as long as the process lives. */
export function createMemoryScheduleStore(): ScheduleStore {
  const jobs = new Map<string, Job>();
  const runs = new Map<string, Run>();
  /** Ids by job and due time. */
  const slots = new Map<string, string>();
  /** Those that are not final, so that nobody walks through a long history. */
  const open = new Set<string>();
  let changes = 0;
  let servedAt: number | undefined;

  function putJob(job: Job): Job {
    jobs.set(job.id, job);
    changes += 1;
    return structuredClone(job);
  }

  function putRun(run: Run): Run {
    runs.set(run.id, run);
    slots.set(slotOf(run), run.id);
    if (isFinalRun(run.state)) open.delete(run.id);
    else open.add(run.id);
    changes += 1;
    return structuredClone(run);
  }

  function dropRun(run: Run): void {
    runs.delete(run.id);
    slots.delete(slotOf(run));
    open.delete(run.id);
    changes += 1;
  }

  const openRuns = (): Run[] => [...open].map((id) => runs.get(id)!);

  /** Of one that has started, a start to come says nothing: the clock was set back. */
  function latestCatchUp(now: number): number | undefined {
    let latest: number | undefined;
    for (const { trigger, state, startAt } of runs.values()) {
      const counts = trigger === "catch_up" && (state === "due" || startAt <= now);
      if (counts && !(latest !== undefined && latest >= startAt)) latest = startAt;
    }
    return latest;
  }

  function findOld(endedBefore: number): Run[] {
    const latest = new Map<string, number>();
    for (const { jobId, dueAt } of runs.values()) latest.set(jobId, Math.max(dueAt, latest.get(jobId) ?? dueAt));
    return [...runs.values()].filter(
      ({ jobId, endedAt, dueAt }) =>
        endedAt !== null && endedAt < endedBefore && (!jobs.has(jobId) || dueAt < latest.get(jobId)!),
    );
  }

  return {
    isDurable: false,
    async addJob(job) {
      if (jobs.has(job.id) || [...jobs.values()].some(({ name }) => name === job.name)) return false;
      putJob(structuredClone(job));
      return true;
    },
    async getJob(id) {
      return structuredClone(jobs.get(id));
    },
    async listJobs({ dueBy } = {}) {
      const found = [...jobs.values()].filter(
        ({ nextAt }) => dueBy === undefined || (nextAt !== null && nextAt <= dueBy),
      );
      return structuredClone(found.sort((a, b) => (a.name < b.name ? -1 : 1)));
    },
    async changeJob(id, version, set) {
      const job = jobs.get(id);
      return job?.version === version ? putJob(withChange(job, structuredClone(set))) : undefined;
    },
    async removeJob(id, order) {
      for (const run of openRuns()) {
        const cancelled = run.jobId === id ? cancelRun(run, order) : undefined;
        if (cancelled) putRun(cancelled);
      }
      changes += 1;
      return jobs.delete(id);
    },
    async plan(jobId, plan) {
      const job = jobs.get(jobId);
      if (job?.version !== plan.version) return undefined;
      const { forgetAfter } = plan;
      for (const run of forgetAfter === null ? [] : [...runs.values()]) {
        if (run.jobId === jobId && run.dueAt > forgetAfter! && isForgettable(run)) dropRun(run);
      }
      const stagger = createStagger(latestCatchUp(plan.now), plan);
      const changed = plan.change.flatMap(({ id, set }) => {
        const run = runs.get(id);
        return (run && changeRun(run, { from: ["due"], set })) ?? [];
      });
      const added = plan.add.filter((run) => !slots.has(slotOf(run)));
      const planned = structuredClone([...changed, ...added]).map((run) => putRun(stagger(run)));
      return { job: putJob(withChange(job, structuredClone(plan.set))), runs: planned };
    },
    async addRun(run) {
      if (slots.has(slotOf(run))) return false;
      putRun(structuredClone(run));
      return true;
    },
    async getRun(id) {
      return structuredClone(runs.get(id));
    },
    async listRuns(query) {
      const found = [...runs.values()].filter((run) => fits(run, query)).sort(latestFirst);
      return structuredClone(found.slice(0, query.limit));
    },
    async listDue({ startBy, limit, after }) {
      const found = openRuns().filter(
        (run) => run.state === "due" && run.startAt <= startBy && (!after || earlierStart(after, run) < 0),
      );
      return structuredClone(found.sort(earlierStart).slice(0, limit));
    },
    async nextTime(now) {
      const times = [
        ...[...jobs.values()].map(({ nextAt }) => nextAt ?? now),
        ...openRuns().map(({ state, startAt }) => (state === "due" ? startAt : now)),
      ].filter((time) => time > now);
      return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
    },
    async claim(id, { owner, alone }) {
      const run = runs.get(id);
      if (run?.state !== "due") return undefined;
      const isInTheWay = (other: Run): boolean => other.jobId === run.jobId && other.state !== "due";
      const inTheWay = alone ? openRuns().find(isInTheWay) : undefined;
      if (inTheWay) return { inTheWay: structuredClone(inTheWay) };
      return {
        claimed: putRun({ ...run, state: "claimed", owner: { ...owner }, fence: run.fence + 1, waitsFor: null }),
      };
    },
    async changeRun(id, change) {
      const run = runs.get(id);
      const changed = run && changeRun(run, structuredClone(change));
      return changed && putRun(changed);
    },
    async requestCancel(id, order) {
      const run = runs.get(id);
      const cancelled = run && cancelRun(run, order);
      if (cancelled) putRun(cancelled);
      return cancelled !== undefined;
    },
    countPrunable: async (endedBefore) => findOld(endedBefore).length,
    async prune(endedBefore) {
      const old = findOld(endedBefore);
      for (const run of old) dropRun(run);
      return old.length;
    },
    servedAt: async () => servedAt,
    async noteServed(at) {
      servedAt = at;
    },
    revision: () => changes,
  };
}

function slotOf({ jobId, dueAt }: Run): string {
  return `${jobId} ${dueAt}`;
}

function withChange(job: Job, set: JobChange): Job {
  return { ...job, ...set, version: job.version + 1 };
}

function isForgettable({ state, span }: Run): boolean {
  return (state === "missed" || state === "skipped") && span === null;
}

function fits(run: Run, { jobId, states, before }: RunQuery): boolean {
  return (
    (jobId === undefined || run.jobId === jobId) &&
    (states?.includes(run.state) ?? true) &&
    (before === undefined || latestFirst(before, run) < 0)
  );
}

function latestFirst(a: Pick<Run, "dueAt" | "id">, b: Pick<Run, "dueAt" | "id">): number {
  return b.dueAt - a.dueAt || (a.id < b.id ? 1 : a.id === b.id ? 0 : -1);
}

function earlierStart(a: Pick<Run, "startAt" | "id">, b: Pick<Run, "startAt" | "id">): number {
  return a.startAt - b.startAt || (a.id < b.id ? -1 : a.id === b.id ? 0 : 1);
}
