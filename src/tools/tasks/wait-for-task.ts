import { z } from "zod";
import { codeOf } from "../../core/errors.ts";
import type { TaskDesk } from "../../core/task-desk.ts";
import { isFinalTask, type Task } from "../../core/task.ts";
import { statusOfTask } from "../../core/task-status.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { defineTaskTool, looksOnly, taskId, type TaskToolParts } from "./task-tool.ts";

const mostSeconds = 45;
const usualSeconds = 30;
/** How long a wait may go on that nobody wants any more, and how often it shows life. */
const sliceMs = 1000;

/** Waits a while for a task. Giving up on the wait does nothing to the task. */
export function createWaitForTaskTool({ desk, clock }: TaskToolParts): Tool {
  return defineTaskTool({
    ...looksOnly,
    name: "wait_for_task",
    description: `Wait for a background task, at most ${mostSeconds} s; then as get_task_status.`,
    input: z.object({
      task_id: taskId,
      timeout: z.number().optional(),
    }),
    async answer({ task_id: id, timeout = usualSeconds }, context) {
      const until = clock.monotonic() + Math.min(timeout, mostSeconds) * 1000;
      const work = await desk();
      let task = await work.get(id);
      while (task && !isFinalTask(task.state) && !context.signal.aborted) {
        const restMs = until - clock.monotonic();
        if (!(restMs > 0)) break;
        task = await waitOnce(work, id, Math.min(sliceMs, restMs));
        if (task) tellProgress(task, context, clock.now());
      }
      return statusOfTask(task, clock.now());
    },
  });
}

async function waitOnce(desk: TaskDesk, id: string, timeoutMs: number): Promise<Task | undefined> {
  try {
    return await desk.wait(id, timeoutMs);
  } catch (thrown) {
    if (codeOf(thrown) === "TASK_UNKNOWN") return undefined;
    throw thrown;
  }
}

function tellProgress({ progress, state, createdAt }: Task, context: ToolContext, now: number): void {
  if (isFinalTask(state)) return;
  const elapsed = Math.floor((now - createdAt) / 1000);
  context.progress({ message: `${state} for ${elapsed} s${progress === null ? "" : `: ${progress}`}` });
}
