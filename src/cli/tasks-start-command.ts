import type { Task } from "../core/task.ts";
import { printableTask } from "../runtime/views/task-view.ts";
import { UsageError, type Invocation } from "./command.ts";
import { exitCodeOfTask, folderOf } from "./describe-task.ts";
import { findTask } from "./find-task.ts";
import { followTask } from "./follow-task.ts";
import { tellWarnings } from "./open-runtime.ts";
import { refuseInsideCall } from "./person.ts";
import { readSeconds } from "./read-seconds.ts";
import { readTask } from "./read-task.ts";
import type { Terminal } from "./terminal.ts";
import { withTasks, type TasksView } from "./with-tasks.ts";

/** `deckhand tasks start AGENT [MESSAGE]` */
export async function runTasksStart(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [agent, argument] = invocation.positionals as [string, string | undefined];
  // Whether an agent may do as it likes is not for an agent to say.
  if (invocation.has("bypass-permissions")) refuseInsideCall(terminal);
  const timeoutMs = readSeconds(invocation, "timeout");
  const cwd = invocation.value("cwd");
  const missing = `Say what ${agent} has to do: deckhand tasks start ${agent} "fix the tests", or pipe it into stdin.`;
  const message = await readTask(argument, terminal, missing);
  return withTasks(invocation, terminal, async (view) => {
    assertKept(view);
    const orderedAt = Date.now();
    const task = await view.tasks.start({
      agent,
      message,
      systemPrompt: invocation.value("system-prompt") ?? null,
      model: invocation.value("model") ?? null,
      args: invocation.values("arg"),
      resume: invocation.value("resume") ?? null,
      idempotencyKey: invocation.value("key") ?? null,
      isIdempotent: invocation.has("idempotent"),
      bypassesPermissions: invocation.has("bypass-permissions"),
      ...(cwd === undefined ? {} : { cwd }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      door: "cli",
    });
    return tellStarted(view, task, task.createdAt < orderedAt);
  });
}

/** `deckhand tasks resume ID [MESSAGE]` */
export async function runTasksResume(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [given, argument] = invocation.positionals as [string, string | undefined];
  const missing = `Say how to go on: deckhand tasks resume ${given} "now the other file", or pipe it into stdin.`;
  const message = await readTask(argument, terminal, missing);
  return withTasks(invocation, terminal, async (view) => {
    assertKept(view);
    const { id } = await findTask(view, given);
    return tellStarted(view, await view.tasks.resume(id, message, "cli"), false);
  });
}

/** What ends with this process can't be left running by it. */
function assertKept({ tasks, runtime, invocation, terminal }: TasksView): void {
  if (tasks.isDurable) return;
  if (invocation.has("follow")) return tellWarnings(runtime, terminal);
  throw new UsageError(
    'Tasks end with this command, because store.kind is "memory": choose another, or stay with it by --follow.',
  );
}

async function tellStarted(view: TasksView, ordered: Task, isOld: boolean): Promise<number> {
  const { invocation, terminal } = view;
  const asJson = invocation.has("json");
  const isQuiet = asJson || invocation.has("quiet");
  if (!asJson && !invocation.has("follow")) terminal.print(`${ordered.id}\n`);
  if (!isQuiet && isOld) terminal.tell(`This key is that of ${ordered.id} (${ordered.state}); nothing was started.`);
  if (invocation.has("follow")) {
    if (!isQuiet) terminal.tell(`${ordered.id}: ${ordered.order.agent} works in ${folderOf(ordered.order)}.`);
    return followTask(view, ordered);
  }
  const { task, isFull } = await untilTaken(view, ordered);
  if (asJson) terminal.printJson(printableTask(view.runtime, task));
  else if (task.state === "failed") terminal.tell(`deckhand: ${task.error ?? "It failed, and nothing says why."}`);
  else if (!isQuiet && !isOld) terminal.tell(isFull ? tellQueued(task) : tellRunning(task, view));
  return isOld ? 0 : exitCodeOfTask(task.state);
}

const patienceMs = 10_000;
const pollMs = 50;

/** Until it was started, or it is known that it has to wait. */
async function untilTaken(
  { tasks }: TasksView,
  ordered: Task,
): Promise<{ readonly task: Task; readonly isFull: boolean }> {
  const { agent } = ordered.order;
  const limit = (await tasks.agents()).find(({ name }) => name === agent)?.limit ?? 1;
  const deadline = performance.now() + patienceMs;
  for (let task = ordered; ; task = await tasks.wait(ordered.id, pollMs)) {
    if (task.state !== "queued" || !tasks.runsHere) return { task, isFull: false };
    const running = await tasks.list({ states: ["running"], agent, limit });
    const isFull = running.length >= limit;
    if (isFull || performance.now() > deadline) return { task, isFull };
  }
}

function tellRunning({ id, order }: Task, { tasks }: TasksView): string {
  const short = id.slice(-8);
  if (!tasks.runsHere) return `Ordered; a worker takes it. To watch it: deckhand tasks follow ${short}`;
  return `Started ${order.agent} in ${folderOf(order)}. To watch it: deckhand tasks follow ${short}`;
}

function tellQueued({ id, order: { agent } }: Task): string {
  return `Queued: as many of ${agent} run as may at once. Whichever deckhand is here when one ends starts it; to wait for that: deckhand tasks follow ${id.slice(-8)}`;
}
