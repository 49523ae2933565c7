import type { Run, RunState } from "../../core/job.ts";
import { pauseAfterFailures } from "../jobs/pause-job.ts";
import { tellSettled, type ScheduleParts } from "../schedule-parts.ts";

export interface End {
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
