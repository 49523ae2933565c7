import { codeOf, messageOf } from "../core/errors.ts";
import { isFinalTask, type Task } from "../core/task.ts";
import { UnavailableError } from "./command.ts";
import { describeProof, durationOfTask, exitCodeOfTask } from "./describe-task.ts";
import { codeOfSignal, exitCode, type StopSignal } from "./exit-code.ts";
import { openTaskPrinter, type TaskPrinter } from "./task-printer.ts";
import { watchSignals } from "./watch-signals.ts";
import type { TasksView } from "./with-tasks.ts";

const pollMs = 250;

/**
 * Shows what a task prints until it has ended, and resolves to its exit code. Ctrl-C, and a reader who has gone, end only the
 * watching.
 */
export function followTask(view: TasksView, given: Task): Promise<number> {
  return tellUnavailable(() => watchTask(view, given));
}

/** A store that is away says nothing of the task: that must not look like a task that failed. */
export async function tellUnavailable(follow: () => Promise<number>): Promise<number> {
  try {
    return await follow();
  } catch (thrown) {
    throw codeOf(thrown) === "STORE_UNAVAILABLE" ? new UnavailableError(messageOf(thrown), { cause: thrown }) : thrown;
  }
}

async function watchTask(view: TasksView, given: Task): Promise<number> {
  const { terminal, tasks } = view;
  const printer = await openTaskPrinter(view, given);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const watch = watchSignals(terminal, () => stop());
  try {
    for (let task = given; ; task = await tasks.wait(task.id, 0)) {
      await printer.show(task);
      if (isFinalTask(task.state)) return end(view, printer, task);
      if (watch.signal) return leave(view, task, watch.signal);
      if (terminal.isClosed()) return exitCode.done;
      await Promise.race([tasks.wait(task.id, pollMs), stopped]);
    }
  } finally {
    terminal.status(null);
    watch.end();
  }
}

function end({ terminal, invocation }: TasksView, printer: TaskPrinter, task: Task): number {
  terminal.status(null);
  printer.end(task);
  if (!invocation.has("json")) tellEnd(task);
  return exitCodeOfTask(task.state);

  function tellEnd({ id, state, error, sessionId }: Task): void {
    const duration = durationOfTask(task, Date.now());
    const proof = describeProof(task);
    const lines = [
      `${id} ${state === "completed" ? "completed" : `ended as ${state}`}${duration && ` after ${duration}`}.`,
      ...(error === null ? [] : [error]),
      ...(proof === null ? [] : [`Stopped: ${proof}.`]),
      ...(sessionId === null ? [] : [`To go on with it: deckhand tasks resume ${id.slice(-8)} "…"`]),
    ];
    if (state !== "completed") terminal.tell(lines.join("\n"));
    else if (!invocation.has("quiet")) terminal.tell(lines.join("\n"));
  }
}

function leave({ terminal }: TasksView, { id, state }: Task, signal: StopSignal): number {
  const short = id.slice(-8);
  terminal.status(null);
  terminal.tell(
    `${id} is still ${state}, and goes on without this.\nTo watch it again: deckhand tasks follow ${short}\nTo end it: deckhand tasks cancel ${short}`,
  );
  return codeOfSignal[signal];
}
