import { clipText } from "./cut-text.ts";
import type { DeskOutput } from "./task-desk.ts";
import type { Task } from "./task.ts";
import { timeToWire } from "./wire.ts";

/** Enough to know a task by; the rest is in get_task_status and get_task_output. */
const shownCharacters = 200;

/** One row of `list_tasks`. What is not known is left out. */
export function rowOfTask(task: Task, now: number): object {
  const row = {
    task_id: task.id,
    cli_name: task.order.agent,
    state: task.state,
    message: clipText(task.order.message, shownCharacters),
    cwd: task.order.cwd,
    model: task.order.model,
    created_at: timeToWire(task.createdAt),
    started_at: timeToWire(task.startedAt),
    completed_at: timeToWire(task.completedAt),
    active_at: timeToWire(task.activeAt),
    elapsed_time: Math.max(0, Math.floor(((task.completedAt ?? now) - task.createdAt) / 1000)),
    progress: task.progress,
    session_id: task.sessionId,
    error: task.error,
    attempt: task.attempt,
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** The answer of `get_task_output`. */
export function answerOfOutput({ text, from, next, totalBytes, answer, errorText }: DeskOutput): object {
  return { text, from, next, total_bytes: totalBytes, answer, error_text: errorText };
}
