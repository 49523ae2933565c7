import { z } from "zod";
import { codeOf } from "../../core/errors.ts";
import { isFinalTask, type Task } from "../../core/task.ts";
import { statusOfTask } from "../../core/task-status.ts";
import type { ToolContext } from "../../core/tool.ts";
import type { TaskDesk } from "../task-desk.ts";
import { defineTaskTool, looksOnly, type TaskTool, type TaskToolParts } from "../task-tool.ts";
import { statusSchema, taskId } from "./schemas.ts";

/** Clients give up on a request after 60 s, and then nobody would get the answer. */
const mostSeconds = 45;
const usualSeconds = 30;
/** How long a wait may go on that nobody wants any more, and how often a client hears that it is still waited for. */
const sliceMs = 1000;

/** Waits a while for a task. Giving up on the wait does nothing to the task. */
export function createWaitForTaskTool({ desk, clock }: TaskToolParts): TaskTool {
  return defineTaskTool({
    name: "wait_for_task",
    title: "Wait for a task",
    description: `Wait until a background task has ended, at most ${mostSeconds} s, and say how it is, as get_task_status does. Still running? Call it again; the task goes on either way.`,
    input: z.object({
      task_id: taskId,
      timeout: z
        .number()
        .min(0, "expected a number of seconds, 0 or more")
        .max(mostSeconds, `expected at most ${mostSeconds} seconds; call it again to wait longer`)
        .describe(`Seconds to wait at most; ${usualSeconds} when left out`)
        .optional(),
    }),
    output: statusSchema,
    annotations: looksOnly,
    async answer({ task_id: id, timeout = usualSeconds }, context) {
      const until = clock.monotonic() + timeout * 1000;
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
