import type { ApprovalRequest } from "../../core/approval.ts";
import { RuntimeError } from "../../core/errors.ts";
import type { RunOutcome } from "../jobs/job-runner.ts";
import type { Improvement } from "../../tool-files/improve/improve-tool.ts";
import { hopeless, leftOut, type JobRunnerParts, type JobToRun } from "../jobs/held-jobs.ts";

const attempts = 3;
/** The rule by which a job's grant says yes beforehand to trying what passed. */
const mayTry = "improve";

/** Lets a model improve the tool. What passed is tried when the grant or a person says so; what reaches further, only by a person. */
export async function runImproveJob(
  { runtime, jobs, approvals }: JobRunnerParts,
  { job, run, work, context }: JobToRun<"improve">,
): Promise<RunOutcome> {
  if (runtime.isSafeMode) return leftOut;
  const { signal, standStill } = context;
  const request = (title: string, { diff, reasons }: Asked): ApprovalRequest => ({
    executionId: run.id,
    conversationId: job.id,
    toolId: mayTry,
    title,
    detail: null,
    preview: diff === "" ? null : { text: title, diff },
    reasons,
    isDanger: false,
    scopes: ["once"],
    rules: [],
  });
  const ask = async (title: string, asked: Asked): Promise<boolean> =>
    (await approvals.approve(request(title, asked), signal)).decision === "allow";

  return jobs.hold(job.id, { jobName: job.name, grant: job.grant, standStill }, async () =>
    outcomeOf(
      await runtime.improveTool({
        tool: work.toolName,
        attempts,
        isDryRun: false,
        signal,
        async openModel() {
          const { model } = await runtime.openModel();
          if (model) return model;
          throw new RuntimeError("MODEL_INVALID", "There is no model to ask: name one in model.name of the settings.");
        },
        mayReach: (names, diff) =>
          ask(`Let a new version of ${work.toolName} reach ${names.join(", ")}`, {
            diff,
            reasons: ["the version in use does not reach that"],
          }),
        confirm: async ({ diff, summary }) =>
          job.grant.allow.includes(mayTry) ||
          ask(`Begin to try a new version of ${work.toolName}`, { diff, reasons: summary === "" ? [] : [summary] }),
        onStep: () => {},
        onRefused: () => {},
      }),
    ),
  );
}

interface Asked {
  readonly diff: string;
  readonly reasons: readonly string[];
}

/** That there was nothing to improve is a good end. */
function outcomeOf({ outcome, sentence }: Improvement): RunOutcome {
  switch (outcome) {
    case "started":
    case "passed":
    case "nothing":
      return { state: "succeeded", reason: null, summary: sentence };
    case "stopped":
      return { state: "cancelled", reason: sentence, summary: null };
    case "declined":
      return hopeless(sentence);
    default:
      return { state: "failed", reason: sentence, summary: null };
  }
}
