import type { Run } from "../../core/job.ts";
import type { ScheduleParts } from "../schedule-parts.ts";

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
