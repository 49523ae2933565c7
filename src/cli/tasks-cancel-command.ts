import { isFinalTask, type Task } from "../core/task.ts";
import { printableTask } from "../runtime/views/task-view.ts";
import type { Invocation } from "./command.ts";
import { describeProof } from "./describe-task.ts";
import { exitCode } from "./exit-code.ts";
import { findTask } from "./find-task.ts";
import type { Terminal } from "./terminal.ts";
import { withTasks, type TasksView } from "./with-tasks.ts";

/** `deckhand tasks cancel ID…` */
export async function runTasksCancel(invocation: Invocation, terminal: Terminal): Promise<number> {
  const reason = invocation.value("reason") ?? "by deckhand tasks cancel";
  return withTasks(invocation, terminal, async (view) => {
    const found = await findAll(view);
    const underWay = [...found.values()].filter(({ state }) => !isFinalTask(state));
    if (!invocation.has("json"))
      for (const { id, order } of underWay) terminal.tell(`Stopping ${id} (${order.agent}) …`);
    const ended = await Promise.all([...found.values()].map((task) => cancelOne(view, task, reason)));
    if (invocation.has("json")) terminal.printJson(ended.map(({ document }) => document));
    return ended.every(({ isCancelled }) => isCancelled) ? exitCode.done : exitCode.failed;
  });
}

/** All are looked up first: a wrong id among them cancels none. */
async function findAll(view: TasksView): Promise<ReadonlyMap<string, Task>> {
  const given = view.invocation.positionals;
  const found = new Map<string, Task>();
  try {
    for (const each of given) {
      const task = await findTask(view, each);
      found.set(task.id, task);
    }
  } catch (thrown) {
    if (given.length > 1) view.terminal.tell("Nothing was cancelled, because one of these can't be found.");
    throw thrown;
  }
  return found;
}

interface Cancelled {
  readonly isCancelled: boolean;
  readonly document: object;
}

async function cancelOne(view: TasksView, before: Task, reason: string): Promise<Cancelled> {
  const { tasks, terminal, invocation } = view;
  const wasOver = isFinalTask(before.state);
  const task = wasOver ? before : await tasks.cancel(before.id, reason);
  const isCancelled = !wasOver && task.state === "cancelled";
  if (!invocation.has("json")) {
    if (isCancelled) terminal.print(`${task.id} is cancelled: ${describeProof(task) ?? "it has ended"}.\n`);
    else terminal.tell(`deckhand: ${tellWhyNot(task, wasOver)}`);
  }
  return { isCancelled, document: { id: task.id, cancelled: isCancelled, task: printableTask(view.runtime, task) } };
}

function tellWhyNot({ id, state, error }: Task, wasOver: boolean): string {
  if (!isFinalTask(state)) return `${id} was told to stop, but has not ended yet; see deckhand tasks show.`;
  const why = error === null ? "" : `: ${error}`;
  if (wasOver) return `${id} is already over (${state}${why}), so there is nothing to cancel.`;
  return `${id} ended as ${state} before it could be cancelled${why === "" ? "." : why}`;
}
