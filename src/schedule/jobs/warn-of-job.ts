import type { Job } from "../../core/job.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { warnOfRules } from "./warn-of-rules.ts";
import { warnOfWork } from "./warn-of-work.ts";

/** What keeps a job that was added from doing its work as things are, a sentence each; without secrets. */
export async function warnOfJob(
  runtime: Pick<Runtime, "prepareTools" | "tools" | "tasks" | "openModel" | "maskValue">,
  { grant, work }: Job,
): Promise<readonly string[]> {
  await runtime.prepareTools();
  return runtime.maskValue([...warnOfRules(runtime.tools, grant), ...(await warnOfWork(runtime, work))]);
}
