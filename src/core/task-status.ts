import type { Task } from "./task.ts";

/** What `get_task_status` answers: four shapes, and never another one. */
export type TaskStatus =
  | { readonly status: "running"; readonly elapsed_time: number }
  | { readonly status: "completed"; readonly result: string }
  | { readonly status: "failed"; readonly error: string }
  | { readonly status: "not_found"; readonly error: string };

/** `undefined`: there is no such task. A queued task is running; cancelled, timed out and lost ones failed, with their reason. */
export function statusOfTask(task: Task | undefined, now: number): TaskStatus {
  if (!task) return { status: "not_found", error: "Task ID not found or expired." };
  switch (task.state) {
    case "queued":
    case "running":
      return { status: "running", elapsed_time: Math.max(0, Math.floor((now - task.createdAt) / 1000)) };
    case "completed":
      return { status: "completed", result: task.result ?? "" };
    case "failed":
    case "cancelled":
    case "timeout":
    case "lost":
      return { status: "failed", error: task.error || unsaidErrors[task.state] };
  }
}

const unsaidErrors = {
  failed: "The agent failed, and nothing says why.",
  cancelled: "The task was cancelled.",
  timeout: "The task was stopped: its time was over.",
  lost: "Server restarted",
} as const;
