import type { Run } from "../../core/job.ts";
import { delayOf } from "./jitter.ts";
import type { ScheduleParts } from "../schedule-parts.ts";

/**
 * Tries and catch-ups that were put off further than any clock that is right puts them: one that was ahead did. Others keep their
 * pause, whoever starts meanwhile. A catch-up whose time is still to come waits for that.
 */
export async function bringForward({ store, settings }: ScheduleParts, now: number): Promise<void> {
  const due = await store.listRuns({ states: ["due"], limit: 10_000 });
  const catchUps = due.filter(isCatchUp);
  const latestStart = (run: Run): number => {
    if (run.attempt > 1) return now + settings.longestRetryMs;
    if (isCatchUp(run) && run.dueAt <= now) return now + catchUps.length * settings.staggerMs;
    return run.trigger === "time" ? Infinity : now;
  };
  const putOff = due.filter((run) => run.startAt > latestStart(run)).sort((a, b) => a.startAt - b.startAt);
  const inTurn = catchUps.filter((run) => !putOff.includes(run)).map(({ startAt }) => startAt + settings.staggerMs);
  let startAt = inTurn.reduce((a, b) => Math.max(a, b), now);
  for (const run of putOff) {
    if (isCatchUp(run) && run.dueAt > now) {
      const job = await store.getJob(run.jobId);
      const set = { trigger: "time", startAt: run.dueAt + (job ? delayOf(job) : 0) } as const;
      await store.changeRun(run.id, { from: ["due"], set });
    } else {
      await store.changeRun(run.id, { from: ["due"], set: { startAt } });
      startAt += settings.staggerMs;
    }
  }
}

function isCatchUp({ trigger, attempt }: Run): boolean {
  return trigger === "catch_up" && attempt === 1;
}
