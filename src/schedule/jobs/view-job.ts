import type { Job, Run, ScheduleStore } from "../../core/job.ts";
import type { JobView } from "../schedule-service.ts";

/** How many are read at a time, until a success is among them: mostly the latest is one. */
const pageSizes = [1, 50, 1000];

/** A job with its latest run, and what was passed over since it last succeeded. */
export async function viewJob(store: ScheduleStore, job: Job): Promise<JobView> {
  const latest: Run[] = [];
  for (const limit of pageSizes) {
    const before = latest.at(-1);
    const page = await store.listRuns({ jobId: job.id, limit, ...(before && { before }) });
    latest.push(...page);
    if (page.length < limit || page.some(hasSucceeded)) break;
  }
  return { job, lastRun: latest[0] ?? null, passedOver: countPassedOver(latest) };
}

/** Latest first. A row may stand for many due times. */
function countPassedOver(runs: readonly Run[]): number {
  const sinceSuccess = runs.findIndex(hasSucceeded);
  return runs
    .slice(0, sinceSuccess < 0 ? runs.length : sinceSuccess)
    .filter(({ state }) => state === "missed" || state === "skipped")
    .reduce((sum, { span }) => sum + (span?.count ?? 1), 0);
}

function hasSucceeded({ state }: Run): boolean {
  return state === "succeeded";
}
