import type { ProcessIdentity } from "../../core/process.ts";
import type { Run } from "../../core/job.ts";

/**
 * A run as it stands, for who reads it while nobody serves the schedule: a row keeps saying `running` when its process was killed,
 * until a scheduler settles it. Nothing is written for that. Who lives is asked of the store where machines share it.
 */
export async function showRun(run: Run, isAlive: (owner: ProcessIdentity) => boolean | Promise<boolean>): Promise<Run> {
  const isUnderWay = run.state === "claimed" || run.state === "running";
  // The task of an agent goes on without the process that ordered it, and is adopted.
  if (!isUnderWay || run.owner === null || run.taskId !== null) return run;
  if (await hasLife(run.owner, isAlive)) return run;
  // Nothing was done yet: it is due again.
  if (run.state === "claimed") return { ...run, state: "due", owner: null };
  return { ...run, state: "lost", reason: "Its process is gone, so nobody knows how far it came." };
}

/** As long as it can't be found out, nobody says that it is gone. */
async function hasLife(
  owner: ProcessIdentity,
  isAlive: (owner: ProcessIdentity) => boolean | Promise<boolean>,
): Promise<boolean> {
  try {
    return await isAlive(owner);
  } catch {
    return true;
  }
}
