import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { Run } from "../../core/job.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { adoptRun } from "./execute-run.ts";
import { eachDue } from "./due-times.ts";
import { tellSettled, type ScheduleParts } from "../schedule-parts.ts";
import { settleLost } from "./settle-run.ts";

const mostAtOnce = 1000;

/**
 * Finds runs whose owner is gone. One that was only claimed is due again: nothing was done. One that ran is adopted, if its work
 * lives on, else lost. `follow` is given the work that was taken up.
 */
export async function recoverRuns(parts: ScheduleParts, { active, follow, jobId }: Recovery): Promise<void> {
  const { store } = parts;
  const states = ["claimed", "running"] as const;
  const underWay = await store.listRuns({ states, limit: mostAtOnce, ...(jobId === undefined ? {} : { jobId }) });
  for (const run of underWay) {
    if (active.has(run.id) || !(await isAbandoned(parts, run.owner))) continue;
    if (run.state === "claimed") {
      await store.changeRun(run.id, { from: ["claimed"], fence: run.fence, set: { state: "due", owner: null } });
    } else {
      await takeUp(parts, run, { active, follow });
    }
  }
}

/** Runs that waited for one of a process that is gone waited for nothing: if they are late, they are as any other that is. */
export async function freeWaiting(parts: ScheduleParts): Promise<void> {
  const { store, clock, settings } = parts;
  for await (const run of eachDue(store, clock.now() - settings.graceMs - 1)) {
    if (run.waitsFor === null) continue;
    const inTheWay = await store.getRun(run.waitsFor);
    const isUnderWay = inTheWay?.state === "claimed" || inTheWay?.state === "running";
    if (!isUnderWay) await store.changeRun(run.id, { from: ["due"], set: { waitsFor: null } });
  }
}

export interface Recovery {
  readonly active: ActiveRuns;
  /** Left out: of all jobs. */
  readonly jobId?: string;
  readonly follow: (work: Promise<void>) => void;
}

async function takeUp(parts: ScheduleParts, run: Run, { active, follow }: Recovery): Promise<void> {
  const { store, owner } = parts;
  // By the fence, so that one of several that find it decides.
  const taken = await store.changeRun(run.id, {
    from: ["running"],
    fence: run.fence,
    set: { owner, fence: run.fence + 1 },
  });
  if (!taken) return;
  const job = await store.getJob(run.jobId);
  if (!job) return follow(active.hold(taken, () => dropRun(parts, taken)));
  const adopted = adoptRun(parts, active, { job, run: taken });
  if (adopted) follow(adopted);
  else await settleLost(parts, { job, run: taken });
}

/** Its job is gone: nobody would ever ask for what lives on of it. */
async function dropRun(parts: ScheduleParts, run: Run): Promise<void> {
  const { store, runner, clock } = parts;
  const why = run.cancelReason ?? "The job was removed.";
  const outcome = await runner.drop?.(run, why);
  if (!outcome) return settleLost(parts, { job: undefined, run });
  const [state, reason] =
    outcome.state === "succeeded" ? (["succeeded", null] as const) : (["cancelled", why] as const);
  const set = { state, reason, endedAt: clock.now() };
  const settled = await store.changeRun(run.id, { from: ["running"], fence: run.fence, set });
  if (settled) tellSettled(parts, settled);
}

/** Nobody's, or of a process that is gone. One that is ours by name, but that nobody here works at, is of an earlier scheduler. */
async function isAbandoned({ owner: self, isAlive }: ScheduleParts, owner: ProcessIdentity | null): Promise<boolean> {
  if (owner === null) return true;
  const isOurs = owner.pid === self.pid && owner.startTime === self.startTime && owner.bootId === self.bootId;
  return isOurs || !(await isAlive(owner));
}
