import type { ErrorType } from "../../core/errors.ts";
import type { Execution } from "../../core/call.ts";
import type { RunOutcome } from "../jobs/job-runner.ts";
import { findToolOfJob } from "../jobs/find-tool-of-job.ts";
import { hopeless, leftOut, type JobRunnerParts, type JobToRun } from "../jobs/held-jobs.ts";

/** Calls the tool, by its file where the job has one. Calls of one job are one conversation: they get the same version of it. */
export async function runToolJob(parts: JobRunnerParts, { job, work, context }: JobToRun<"tool">): Promise<RunOutcome> {
  const { runtime, jobs } = parts;
  const found = await findToolOfJob(parts, work);
  if (!found.ok) return runtime.isSafeMode ? leftOut : hopeless(found.problem);
  const { name: jobName, grant } = job;
  const { signal, standStill, note, key } = context;
  return jobs.hold(job.id, { jobName, grant, standStill }, async () => {
    const { pinned } = found;
    const call = runtime.call(found.name, work.input, {
      door: "schedule",
      conversationId: job.id,
      signal,
      idempotencyKey: key,
      ...(pinned && { pinned }),
    });
    // The call goes on whether that can be noted or not, so it is waited for in any case.
    const [execution] = await Promise.allSettled([call, note({ executionId: call.id })]);
    if (execution.status === "rejected") throw execution.reason;
    return outcomeOf(execution.value, (text) => runtime.maskText(text));
  });
}

/** Another try with the same input, by the same rules, ends the same way. */
const hopelessErrors: ReadonlySet<ErrorType | null> = new Set(["unknown_tool", "invalid_input", "denied"]);

/** What the machine lacked, or the store could not take: nothing that the job did wrong. */
const hostErrors: ReadonlySet<ErrorType | null> = new Set(["resources", "store", "disk_full"]);

function outcomeOf(execution: Execution, maskText: (text: string) => string): RunOutcome {
  const { state, result, errorType } = execution;
  const output = result?.output ?? "";
  const summary = output === "" ? null : maskText(output);
  if (state === "completed") return { state: "succeeded", reason: null, summary };
  const reason = maskText(reasonOf(execution));
  if (hopelessErrors.has(errorType)) return { ...hopeless(reason), summary };
  if (hostErrors.has(errorType)) return { state: "skipped", reason, summary };
  if (state === "timeout") return { state: "timed_out", reason, summary };
  return { state: state === "cancelled" ? "cancelled" : "failed", reason, summary };
}

/** What its owner reads later, when nothing else of the call is before them. */
function reasonOf({ error, errorType, toolName, permission, note }: Execution): string {
  const told = error ?? "It ended without a word.";
  if (errorType === "invalid_input") {
    return `The input of the job does not fit ${toolName} any more: ${told}. Add the job again with one that does; see \`deckhand tools ${toolName}\`.`;
  }
  if (errorType !== "denied" || permission?.by !== "person") return told;
  const [who, why] = [
    permission.who ? ` (${permission.who})` : "",
    note === null ? "" : `. ${note.replaceAll("\n", " ")}`,
  ];
  return `${told}${who}${why}`;
}
