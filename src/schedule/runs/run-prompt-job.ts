import type { RunEnd } from "../../core/events.ts";
import { hopeless, type JobRunnerParts, type JobToRun } from "../jobs/held-jobs.ts";
import type { RunOutcome } from "../jobs/job-runner.ts";

export const noModel = "There is no model to ask: name one in the job, or in model.name of the settings.";

/** A new conversation for each run; what it may do is the job's grant, and what it asks waits in the inbox. */
export async function runPromptJob(
  { runtime, jobs }: JobRunnerParts,
  { job: { name: jobName, grant }, work, context }: JobToRun<"prompt">,
): Promise<RunOutcome> {
  const { signal, standStill, note } = context;
  const chosen = await runtime.openModel(work.model ?? undefined);
  if (!chosen.model) return hopeless(noModel);
  const agent = await runtime.openAgent({ model: chosen.model });
  try {
    await note({ sessionId: agent.sessionId });
    const held = { jobName, grant, standStill };
    const end = await jobs.hold(agent.sessionId, held, () => agent.send(work.prompt, { signal }));
    return outcomeOf(end, (text) => runtime.maskText(text));
  } finally {
    await agent.close();
  }
}

function outcomeOf({ state, text, reason }: RunEnd, maskText: (text: string) => string): RunOutcome {
  const summary = text === "" ? null : maskText(text);
  if (state === "answered") return { state: "succeeded", reason: null, summary };
  const why = maskText(reason ?? `The conversation ended as ${state}.`);
  return { state: state === "cancelled" ? "cancelled" : "failed", reason: why, summary };
}
