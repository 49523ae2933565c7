import type { Clock } from "./clock.ts";
import { codeOf } from "./errors.ts";
import type { TaskDesk } from "./task-service-port.ts";
import { statusOfTask, type TaskStatus } from "./task-status.ts";
import { isFinalTask, type Task } from "./task.ts";
import type { ToolContext } from "./tool.ts";

/** Clients of MCP give up on a request after 60 s, and then nobody would get the answer. */
export const mostWaitSeconds = 45;
export const usualWaitSeconds = 30;
/** How long a wait may go on that nobody wants any more, and how often it shows life. */
const sliceMs = 1000;

/** Waits a while for a task, and says how it is. Giving up on the wait does nothing to the task. */
export async function waitForTask(
  { desk, clock }: { readonly desk: TaskDesk; readonly clock: Clock },
  { id, seconds }: { readonly id: string; readonly seconds: number },
  context: Pick<ToolContext, "signal" | "progress">,
): Promise<TaskStatus> {
  const until = clock.monotonic() + seconds * 1000;
  let task = await desk.get(id);
  while (task && !isFinalTask(task.state) && !context.signal.aborted) {
    const restMs = until - clock.monotonic();
    if (!(restMs > 0)) break;
    task = await waitOnce(desk, id, Math.min(sliceMs, restMs));
    if (task && !isFinalTask(task.state)) context.progress({ message: describeWait(task, clock.now()) });
  }
  return statusOfTask(task, clock.now());
}

async function waitOnce(desk: TaskDesk, id: string, timeoutMs: number): Promise<Task | undefined> {
  try {
    return await desk.wait(id, timeoutMs);
  } catch (thrown) {
    if (codeOf(thrown) === "TASK_UNKNOWN") return undefined;
    throw thrown;
  }
}

function describeWait({ progress, state, createdAt }: Task, now: number): string {
  const elapsed = Math.floor((now - createdAt) / 1000);
  return `${state} for ${elapsed} s${progress === null ? "" : `: ${progress}`}`;
}
