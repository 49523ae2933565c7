import type { Job, Run } from "../../core/job.ts";
import { toWire } from "../../core/wire.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { JobView, PreviewedTime } from "../schedule-service.ts";

type Masks = Pick<Runtime, "maskValue">;

/** As it leaves the program: without secrets, in snake_case. */
export function printableJob(runtime: Masks, job: Job): object {
  return toWire(runtime.maskValue(job)) as object;
}

export function printableRun(runtime: Masks, run: Run): object {
  return toWire(runtime.maskValue(run)) as object;
}

/** A job with its latest run. */
export function printableJobView(runtime: Masks, { job, lastRun, passedOver }: JobView): object {
  return {
    ...printableJob(runtime, job),
    last_run: lastRun && printableRun(runtime, lastRun),
    passed_over: passedOver,
  };
}

/** A job with its times to come and its latest runs. */
export function printableJobPage(
  runtime: Masks,
  { job, next, runs }: { readonly job: Job; readonly next: readonly PreviewedTime[]; readonly runs: readonly Run[] },
): object {
  return { ...printableJob(runtime, job), next: toWire(next), runs: runs.map((run) => printableRun(runtime, run)) };
}
