import { codeOf } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { Schedule } from "../schedule-service.ts";

/** Of all jobs, for the name of one that is gone. */
const searchedRuns = 1000;

/** By id or name, also a job that was removed: that is known by its latest runs alone. Throws JOB_UNKNOWN. */
export async function findWithRemoved(
  schedule: Pick<Schedule, "find" | "runs">,
  idOrName: string,
): Promise<{ readonly id: string; readonly name: string }> {
  try {
    return await schedule.find(idOrName);
  } catch (thrown) {
    if (codeOf(thrown) !== "JOB_UNKNOWN") throw thrown;
    const wanted = idOrName.trim();
    const runs = await schedule.runs(isId("job", wanted) ? { jobId: wanted, limit: 1 } : { limit: searchedRuns });
    const left = runs.find(({ jobId, jobName }) => jobName === wanted || jobId === wanted);
    if (!left) throw thrown;
    return { id: left.jobId, name: left.jobName };
  }
}
