import type { StopReport } from "../../core/process.ts";
import type { FinalTaskState, Task } from "../../core/task.ts";
import type { DetachedExit } from "../../process/detached/detached-folder.ts";
import type { AgentVerdict } from "../adapters/agent-adapter.ts";

/** What made us stop it; null when it ended by itself. */
export type StopCause = "cancelled" | "timeout" | "output" | "done" | null;

export interface TaskEnd {
  readonly task: Task;
  readonly cause: StopCause;
  /** Null when nobody knows how it ended. */
  readonly exit: DetachedExit | null;
  readonly verdict: AgentVerdict;
  /** The agent itself said that it has finished. */
  readonly isDone: boolean;
  /** What it printed is still there. */
  readonly hasOutput: boolean;
  readonly stop: StopReport;
  readonly maxOutputBytes: number;
  /** How much of its output was removed. */
  readonly cutBytes: number;
}

export interface Conclusion {
  readonly state: FinalTaskState;
  readonly result: string | null;
  readonly error: string | null;
}

/**
 * What an ended task has come to. What the agent said before it was stopped counts: one that had answered and then would not
 * leave has completed. After that why it was stopped, then how it ended, and when nobody knows that, it is lost.
 */
export function concludeTask(end: TaskEnd): Conclusion {
  const { state, result, error } = judge(end);
  const alive = end.stop.survivors.map(({ pid, command }) => `${pid} (${command})`).join(", ");
  if (alive === "") return { state, result, error };
  return { state, result, error: `${error ?? "The task has ended."} These processes could not be stopped: ${alive}.` };
}

function judge({ task, cause, exit, verdict, isDone, hasOutput, maxOutputBytes, cutBytes }: TaskEnd): Conclusion {
  const said: Conclusion = verdict.ok
    ? { state: "completed", result: verdict.text, error: null }
    : { state: "failed", result: null, error: verdict.error };
  if (isDone) return said;
  if (cause === "cancelled") return cancelled(task);
  if (cause === "timeout" || exit?.timedOut) {
    return ended("timeout", `Stopped after its time limit of ${describeTime(task.order.timeoutMs)}.`);
  }
  if (cause === "output") {
    const [limit, cut] = [maxOutputBytes, cutBytes].map((bytes) => bytes.toLocaleString("en-US"));
    return ended(
      "failed",
      `Stopped because it printed more than ${limit} bytes (limits.max_task_output_bytes). The last ${cut} bytes were cut.`,
    );
  }
  // Whoever was to cancel it may have died in the middle of that.
  if (task.cancelReason !== null && !verdict.ok) return cancelled(task);
  if (exit) return said;
  const output = hasOutput ? "Its output is kept." : "No output was found.";
  return ended(
    "lost",
    `Lost: the process is gone, and how it ended is unknown. ${output} If it has a session, you can resume it.`,
  );
}

export function cancelled({ cancelReason }: Pick<Task, "cancelReason">): Conclusion {
  return ended("cancelled", `Cancelled: ${cancelReason || "no reason given."}`);
}

function ended(state: FinalTaskState, error: string): Conclusion {
  return { state, result: null, error };
}

function describeTime(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6000) / 10} min`;
}
