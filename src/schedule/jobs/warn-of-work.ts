import { messageOf } from "../../core/errors.ts";
import type { JobWork } from "../../core/job.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { noModel } from "../runs/run-prompt-job.ts";

/** A sentence when what a job needs, its agent or its model, is not here; it may come later. */
export async function warnOfWork(
  runtime: Pick<Runtime, "tasks" | "openModel">,
  work: JobWork,
): Promise<readonly string[]> {
  switch (work.kind) {
    case "agent":
      return warnOfAgent(runtime, work.order.agent);
    case "prompt":
      // One that it names was checked, and its key may be there when it runs.
      return work.model === null ? warnOfModel(runtime) : [];
    default:
      return [];
  }
}

async function warnOfAgent(runtime: Pick<Runtime, "tasks">, wanted: string): Promise<readonly string[]> {
  const tasks = await runtime.tasks();
  const agent = (await tasks.agents()).find(({ name }) => name === wanted);
  if (!agent || agent.isInstalled || !tasks.runsHere) return [];
  return [`The agent "${wanted}" is not installed here: its runs fail until it is. To install it: ${agent.install}`];
}

async function warnOfModel(runtime: Pick<Runtime, "openModel">): Promise<readonly string[]> {
  const problem = await runtime.openModel().then(({ model }) => (model ? null : noModel), messageOf);
  return problem === null ? [] : [`Its runs fail as things are: ${problem}`];
}
