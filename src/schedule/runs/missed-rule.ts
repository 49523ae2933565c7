import type { Job, Run } from "../../core/job.ts";
import { delayOf } from "./jitter.ts";

export interface LateRuns {
  /** In the order of their due times. */
  readonly late: readonly Run[];
  /** One of the job is due now and not late. */
  readonly isFollowed: boolean;
  readonly now: number;
}

export interface CatchUps {
  readonly catchUps: readonly Run[];
  readonly missed: readonly { readonly run: Run; readonly reason: string }[];
}

/** Which of the runs that nobody could start in time are made up for. */
export function chooseCatchUps(job: Job, { late, isFollowed, now }: LateRuns): CatchUps {
  const { missed: rule } = job;
  const delayMs = delayOf(job);
  const young = late.filter(
    ({ dueAt }) => now - dueAt <= rule.windowMs && now - dueAt - delayMs <= (job.deadlineMs ?? Infinity),
  );
  const wanted = rule.mode === "none" ? 0 : rule.mode === "all" ? Math.min(rule.max, 10) : isFollowed ? 0 : 1;
  const catchUps = wanted === 0 ? [] : young.slice(-wanted);
  const reasonFor = (run: Run): string => {
    if (rule.mode === "none") return "Nothing could run then, and the job does not catch up.";
    if (!young.includes(run)) return "Nothing could run then, and it was too long ago to catch up.";
    return rule.mode === "last"
      ? "Nothing could run then; a later run takes its place."
      : `Nothing could run then; only the latest ${wanted} are caught up with.`;
  };
  return {
    catchUps,
    missed: late.filter((run) => !catchUps.includes(run)).map((run) => ({ run, reason: reasonFor(run) })),
  };
}
