import type { Job, JobWork, Run } from "../../core/schedule.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { JobRunner, RunContext, RunOutcome } from "../../schedule/job-runner.ts";
import type { OpenedWorkshop } from "../open-workshop.ts";
import type { Runtime } from "../runtime.ts";
import type { JobCalls } from "./job-calls.ts";

/** What the work of jobs is done with. */
export interface JobRunnerParts {
  readonly runtime: Runtime;
  readonly catalog: Catalog;
  readonly workshop: OpenedWorkshop;
  readonly jobCalls: JobCalls;
  readonly now: () => number;
}

/** One run of a job, about to be done. */
export interface JobToRun<Kind extends JobWork["kind"]> {
  readonly job: Job;
  readonly run: Run;
  readonly work: Extract<JobWork, { readonly kind: Kind }>;
  readonly context: RunContext;
}

/** Does what jobs say, by the runtime they belong to. Each kind is loaded when the first job of it is due. */
export function createJobRunner(parts: JobRunnerParts): JobRunner {
  return {
    async run(job, run, context) {
      const { work } = job;
      switch (work.kind) {
        case "tool":
          return (await import("./run-tool-job.ts")).runToolJob(parts, { job, run, work, context });
        case "prompt":
          return (await import("./run-prompt-job.ts")).runPromptJob(parts, { job, run, work, context });
        case "agent":
          return (await import("./run-agent-job.ts")).runAgentJob(parts, { job, run, work, context });
        case "improve":
          return (await import("./run-improve-job.ts")).runImproveJob(parts, { job, run, work, context });
      }
    },
    // Only a background agent lives on by itself.
    adopt(job, run, context) {
      const { work } = job;
      return work.kind === "agent" ? adoptAgent(parts, { job, run, work, context }) : undefined;
    },
  };
}

async function adoptAgent(parts: JobRunnerParts, order: JobToRun<"agent">): Promise<RunOutcome> {
  return (await import("./run-agent-job.ts")).adoptAgentJob(parts, order);
}

/** It would fail the same way if it were tried again. */
export function hopeless(reason: string): RunOutcome {
  return { state: "failed", reason, summary: null, isHopeless: true };
}
