import type { Runtime } from "../runtime/runtime.ts";

export interface UnderWay {
  readonly running_calls: number;
  readonly running_tasks: number;
  readonly waiting_inbox: number;
  readonly active_rollouts: number;
  readonly jobs: number;
  readonly paused_jobs: number;
}

/** Nobody reads a number larger than this. */
const mostCounted = 1000;

/** What goes on in this workdir, in numbers. */
export async function countUnderWay(
  runtime: Pick<Runtime, "list" | "tasks" | "inbox" | "rollouts" | "schedule">,
): Promise<UnderWay> {
  const [calls, tasks, waiting, rollouts, schedule] = await Promise.all([
    runtime.list({ states: ["pending", "running"], limit: mostCounted }),
    runtime.tasks(),
    runtime.inbox.list({ states: ["waiting"], limit: mostCounted }),
    runtime.rollouts(),
    runtime.schedule(),
  ]);
  const [runningTasks, views, { jobs, paused }] = await Promise.all([
    tasks.count({ states: ["queued", "running"] }),
    rollouts.list(),
    schedule.count(),
  ]);
  return {
    running_calls: calls.length,
    running_tasks: runningTasks,
    waiting_inbox: waiting.filter(({ state }) => state === "waiting").length,
    active_rollouts: views.filter(({ status }) => status !== "none" && status !== "rolled_back").length,
    jobs,
    paused_jobs: paused,
  };
}
