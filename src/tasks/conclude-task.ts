import type { StopReport } from "../core/stop-report.ts";
import type { FinalTaskState, Task } from "../core/task.ts";
import type { DetachedExit } from "../process/detached-folder.ts";
import type { AgentVerdict } from "./adapters/agent-adapter.ts";

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
  return { state, result, error: `${error ?? "It has ended."} These processes of it could not be ended: ${alive}.` };
}

function judge({ task, cause, exit, verdict, isDone, hasOutput }: TaskEnd): Conclusion {
  const said: Conclusion = verdict.ok
    ? { state: "completed", result: verdict.text, error: null }
    : { state: "failed", result: null, error: verdict.error };
  if (isDone) return said;
  if (cause === "cancelled") return cancelled(task);
  if (cause === "timeout" || exit?.timedOut) {
    return ended("timeout", `It took longer than its limit of ${describeTime(task.order.timeoutMs)} and was stopped.`);
  }
  if (cause === "output") return ended("failed", "It printed more than an agent may, and was stopped.");
  // Whoever was to cancel it may have died in the middle of that.
  if (task.cancelReason !== null && !verdict.ok) return cancelled(task);
  if (exit) return said;
  const output = hasOutput ? "What it printed is kept, and its" : "Nothing that it printed is there; its";
  return ended(
    "lost",
    `Lost: its process is gone and nobody saw how it ended. ${output} session can be resumed if it has one.`,
  );
}

export function cancelled({ cancelReason }: Pick<Task, "cancelReason">): Conclusion {
  return ended("cancelled", `Cancelled: ${cancelReason || "no reason was given."}`);
}

function ended(state: FinalTaskState, error: string): Conclusion {
  return { state, result: null, error };
}

function describeTime(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6000) / 10} min`;
}
