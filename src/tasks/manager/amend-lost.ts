import type { TaskRun } from "../../core/shared-tasks.ts";
import type { Task } from "../../core/task.ts";
import { readAgent } from "./read-agent.ts";
import { runFolderOf } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";
import { bytesPerLook, endRun, settledEvent } from "./watch-task.ts";

/**
 * A task was called lost while this machine was away, and here is what became of its run: its true end where it left one. One that
 * still runs is stopped, since whoever ordered it was told that it is lost; what it had answered before counts.
 */
export async function amendLost(options: TaskManagerOptions, { id, attempt }: TaskRun): Promise<void> {
  const { store, detached, adapters, clock, limits } = options;
  const lost = await store.get(id);
  if (lost?.state !== "lost" || lost.attempt !== attempt) return;
  const folder = runFolderOf(lost);
  const { state } = detached.look(folder);
  if (state !== "ended" && state !== "running") return;
  // Before it is read: one that goes on printing would never be read to its end.
  if (state === "running") await detached.stop(folder, limits.graceMs);
  const reading = readAgent(adapters, lost);
  try {
    // All of it: conclude reads only what little is left.
    while (!(await reading.advance(bytesPerLook)));
    const end = await endRun(options, lost, { reading, cause: null });
    const wasStopped = state === "running" && !reading.isDone && lost.cancelReason === null;
    const set = { ...end, ...(wasStopped ? stoppedLate : {}), completedAt: clock.now(), isLate: true };
    const amended = await store.shared!.amendLost({ id, attempt }, set);
    if (amended) options.emit("task:settled", settledEvent(amended));
  } finally {
    await reading.close();
  }
}

const stoppedLate: Pick<Task, "state" | "result" | "error"> = {
  state: "lost",
  result: null,
  error:
    "Lost: its machine was away for too long. The agent was still running when the machine came back, and was stopped then. Its output is kept. If it has a session, you can resume it.",
};
