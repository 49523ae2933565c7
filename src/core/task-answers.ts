import { clipText, cutMiddle } from "./cut-text.ts";
import { RuntimeError } from "./errors.ts";
import type { AgentInfo, TaskDesk } from "./task-service-port.ts";
import type { Task } from "./task.ts";
import { timeToWire } from "./wire.ts";

/** Enough to know a task by; the rest is in get_task_status and get_task_output. */
const shownCharacters = 200;
/** Whoever reads in pieces can't take more at once, some clients refuse it; the record of the task has the whole answer. */
export const answerCharacters = 64 * 1024;

/** One row of `list_tasks`. What is not known is left out. */
export function rowOfTask(task: Task, now: number): object {
  return leaveOutNull({
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
    stop_proof: task.stopProof,
    attempt: task.attempt,
    is_late: task.isLate ?? null,
  });
}

/** The answer of `cancel_task`: how it ended, and how that was proved. */
export function answerOfCancel({ id, state, stopProof, error }: Task): object {
  return leaveOutNull({ task_id: id, state, stop_proof: stopProof, error });
}

/** The answer of `get_task_output`. */
export async function readOutput(desk: TaskDesk, id: string, range: OutputRange): Promise<object> {
  // Asked first: what is final now has no more to say than what is read then.
  const task = await desk.get(id);
  if (!task) throw new RuntimeError("TASK_UNKNOWN", `There is no task ${JSON.stringify(id.slice(0, 80))}.`);
  const { text, from, next, totalBytes, answer, errorText } = await desk.output(id, { ...range, answerCharacters });
  const { state, progress, sessionId } = task;
  return leaveOutNull({
    text,
    from,
    next,
    total_bytes: totalBytes,
    // Once more: a worker of an older version gives all of it.
    answer: cutMiddle(answer, answerCharacters),
    error_text: errorText,
    state,
    progress,
    session_id: sessionId,
  });
}

interface OutputRange {
  readonly from: number;
  readonly limit: number;
}

/** The answer of `list_agents`. */
export function answerOfAgents(agents: readonly AgentInfo[]): object {
  return {
    agents: agents.map(({ name, title, isInstalled, install, canResume, limit }) => ({
      name,
      title,
      installed: isInstalled,
      install,
      can_resume: canResume,
      limit,
    })),
  };
}

function leaveOutNull(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
}
