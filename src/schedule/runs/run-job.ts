import type { JobRunnerParts, JobToRun } from "../jobs/held-jobs.ts";
import type { JobRunner, RunOutcome } from "../jobs/job-runner.ts";

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
    async drop(run, reason) {
      return (await import("./run-agent-job.ts")).dropAgentJob(parts, run, reason);
    },
  };
}

async function adoptAgent(parts: JobRunnerParts, order: JobToRun<"agent">): Promise<RunOutcome> {
  return (await import("./run-agent-job.ts")).adoptAgentJob(parts, order);
}
