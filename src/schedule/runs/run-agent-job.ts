import { codeOf, messageOf } from "../../core/errors.ts";
import type { Run } from "../../core/job.ts";
import { isFinalTask, type Task } from "../../core/task.ts";
import type { RunContext, RunOutcome } from "../jobs/job-runner.ts";
import type { Tasks } from "../../tasks/manager/task-service.ts";
import { hopeless, type JobRunnerParts, type JobToRun } from "../jobs/held-jobs.ts";

const sliceMs = 1000;

/** Orders a background agent by the key of the run, so that it is one task whoever orders it, and follows it to its end. */
export async function runAgentJob({ runtime }: JobRunnerParts, order: JobToRun<"agent">): Promise<RunOutcome> {
  const tasks = await runtime.tasks();
  try {
    return await follow(tasks, order, await start(tasks, order));
  } catch (thrown) {
    // Its agent or its folder is gone.
    if (codeOf(thrown) === "TASK_INVALID") return hopeless(messageOf(thrown));
    throw thrown;
  }
}

/** A run that another process had begun: its task, wherever it is by now. */
export async function adoptAgentJob({ runtime, now }: JobRunnerParts, order: JobToRun<"agent">): Promise<RunOutcome> {
  const { run } = order;
  const tasks = await runtime.tasks();
  const known = run.taskId === null ? undefined : await tasks.get(run.taskId);
  // The key of a task that is kept no longer would start it once more.
  const isForgotten = run.taskId !== null || now() - (run.startedAt ?? 0) > tasks.ttlMs / 2;
  if (!known && isForgotten) return hopeless("Its task is not kept any more, so nobody knows what came of it.");
  return follow(tasks, order, known ?? (await start(tasks, order)));
}

/** The job of a run is gone: so goes its task. Undefined: it has none. */
export async function dropAgentJob(
  { runtime }: JobRunnerParts,
  { taskId }: Run,
  reason: string,
): Promise<RunOutcome | undefined> {
  if (taskId === null) return undefined;
  const tasks = await runtime.tasks();
  return (await tasks.get(taskId)) && outcomeOf(await tasks.cancel(taskId, reason), false);
}

async function start(tasks: Tasks, { job, run, work, context }: JobToRun<"agent">): Promise<Task> {
  const task = await tasks.start({
    ...work.order,
    idempotencyKey: keyOf(run, context),
    isIdempotent: job.isIdempotent,
    door: "schedule",
  });
  await context.note({ taskId: task.id });
  return task;
}

/** Another try is another task. */
function keyOf({ attempt }: Run, { key }: RunContext): string {
  return attempt === 1 ? `schedule:${key}` : `schedule:${key}:${attempt}`;
}

async function follow(tasks: Tasks, { job, context }: JobToRun<"agent">, ordered: Task): Promise<RunOutcome> {
  const { signal, stopCause } = context;
  const news = Promise.withResolvers<undefined>();
  const tell = (): void => news.resolve(undefined);
  signal.addEventListener("abort", tell, { once: true });
  try {
    let task = ordered;
    while (!isFinalTask(task.state) && !signal.aborted) {
      task = (await Promise.race([tasks.wait(task.id, sliceMs), news.promise])) ?? task;
    }
    if (isFinalTask(task.state)) return outcomeOf(task, job.isIdempotent);
    const isLeft = stopCause() === "close" || stopCause() === "taken_away";
    if (isLeft && tasks.isDurable) return { state: "left", reason: null, summary: null };
    return outcomeOf(await tasks.cancel(task.id, "The run of its job was stopped."), job.isIdempotent);
  } finally {
    signal.removeEventListener("abort", tell);
  }
}

function outcomeOf({ state, result, error }: Task, isIdempotent: boolean): RunOutcome {
  const reason = error ?? `Its task is ${state}.`;
  switch (state) {
    case "completed":
      return { state: "succeeded", reason: null, summary: result };
    case "timeout":
      return { state: "timed_out", reason, summary: result };
    case "cancelled":
      return { state: "cancelled", reason, summary: result };
    case "lost":
      return { ...(isIdempotent ? {} : hopeless(reason)), state: "failed", reason, summary: result };
    default:
      return { state: "failed", reason, summary: result };
  }
}
