import type { Clock } from "./clock.ts";
import { codeOf, RuntimeError } from "./errors.ts";
import {
  type AgentInfo,
  type DeskRequest,
  isFinalTask,
  statusOfTask,
  type Task,
  type TaskDesk,
  type TaskDoor,
  type TaskStatus,
} from "./task.ts";
import { clipText, cutMiddle } from "./text.ts";
import type { ToolContext } from "./tool.ts";
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

/** What `use_agent` takes, whichever door it is offered at. */
export interface UseAgentInput {
  readonly cli_name: string;
  readonly message: string;
  readonly system_prompt?: string | undefined;
  readonly model?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly resume?: string | undefined;
  readonly cwd?: string | undefined;
  /** In seconds. */
  readonly timeout?: number | undefined;
  readonly idempotency_key?: string | undefined;
  readonly idempotent?: boolean | undefined;
}

export function orderOfUseAgent(input: UseAgentInput, door: TaskDoor): DeskRequest {
  return {
    agent: input.cli_name,
    message: input.message,
    systemPrompt: input.system_prompt ?? null,
    model: input.model ?? null,
    args: input.args ?? [],
    resume: input.resume ?? null,
    idempotencyKey: input.idempotency_key ?? null,
    ...(input.idempotent === undefined ? {} : { isIdempotent: input.idempotent }),
    ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
    ...(input.timeout === undefined ? {} : { timeoutMs: Math.ceil(input.timeout * 1000) }),
    door,
  };
}
