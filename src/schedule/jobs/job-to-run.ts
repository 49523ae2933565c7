import type { Job, JobWork, Run } from "../../core/job.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { RunContext, RunOutcome } from "./job-runner.ts";
import type { OpenedWorkshop } from "../../runtime/open-workshop.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Approvals } from "../../runtime/approvals.ts";
import type { HeldJobs } from "./held-jobs.ts";

/** What jobs use of the runtime. */
export type JobRuntime = Pick<
  Runtime,
  "workdir" | "isSafeMode" | "maskText" | "prepareTools" | "call" | "tasks" | "openModel" | "openAgent" | "improveTool"
>;

/** What the work of jobs is done with. */
export interface JobRunnerParts {
  readonly runtime: JobRuntime;
  readonly catalog: Catalog;
  readonly workshop: OpenedWorkshop;
  readonly jobs: Pick<HeldJobs, "hold">;
  readonly approvals: Pick<Approvals, "approve">;
  readonly now: () => number;
}

/** One run of a job, about to be done. */
export interface JobToRun<Kind extends JobWork["kind"]> {
  readonly job: Job;
  readonly run: Run;
  readonly work: Extract<JobWork, { readonly kind: Kind }>;
  readonly context: RunContext;
}

/** Not held against the job: what it needs is there again when safe mode is over. */
export const leftOut: RunOutcome = {
  state: "skipped",
  reason: "Safe mode is on (DECKHAND_SAFE_MODE=1): tool files and tools of MCP servers are left out.",
  summary: null,
};

/** It would fail the same way if it were tried again. */
export function hopeless(reason: string): RunOutcome {
  return { state: "failed", reason, summary: null, isHopeless: true };
}
