import { nearest } from "../core/nearest.ts";
import { isFinalTask, taskStates, type Task, type TaskQuery, type TaskState } from "../core/task.ts";
import { printableTask } from "../runtime/views/task-view.ts";
import { UsageError, type Invocation } from "./command.ts";
import { durationOfTask, summarizeTask } from "./describe-task.ts";
import { exitCode } from "./exit-code.ts";
import { formatAge } from "../core/format-time.ts";
import { readLimit } from "./read-limit.ts";
import { renderTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { fitWidth } from "./terminal-text.ts";
import { withTasks, type TasksView } from "./with-tasks.ts";

const defaultLimit = 20;

/** `deckhand tasks [list]` */
export async function runTasksList(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("limit"), defaultLimit);
  const states = readStates(invocation);
  const agent = invocation.value("agent");
  const query = { ...(states.length > 0 ? { states } : {}), ...(agent === undefined ? {} : { agent }) };
  return withTasks(invocation, terminal, async (view) => {
    const { tasks, runtime } = view;
    const found = await tasks.list({ ...query, limit });
    // Records that could not be read are not empty; what is kept in memory is always read.
    const isWhole = runtime.warnings.length === 0 || !tasks.isDurable;
    if (found.length === 0 && agent !== undefined) assertKnown(agent, await tasks.agents());
    if (invocation.has("json")) terminal.printJson(found.map((task) => printableTask(runtime, task)));
    else if (found.length > 0) {
      const masked = found.map((task) => runtime.maskValue(task));
      terminal.print(renderTasks(masked, terminal));
      if (found.length === limit) await tellRest(view, query, found);
    } else if (isWhole) terminal.tell(isFiltered(invocation) ? "No such tasks here." : "No tasks here.");
    return found.length > 0 || isWhole ? exitCode.done : exitCode.failed;
  });
}

/** An old task that still runs must not be missed because newer ones have ended. */
async function tellRest({ tasks, terminal }: TasksView, query: Query, shown: readonly Task[]): Promise<void> {
  const all = await tasks.count(query);
  if (all <= shown.length) return;
  const states = (query.states ?? taskStates).filter((state) => !isFinalTask(state));
  const going = states.length === 0 ? 0 : await tasks.count({ ...query, states });
  const hidden = going - shown.filter(({ state }) => !isFinalTask(state)).length;
  const others = hidden > 0 ? `; of the others ${hidden} ${hidden === 1 ? "is" : "are"} still under way` : "";
  terminal.tell(`These are the newest ${shown.length} of ${all}${others}. --limit N shows more.`);
}

type Query = Omit<TaskQuery, "limit" | "beforeId">;

/** On a terminal the last digits: the first ones are the time, and the same for all that were ordered together. */
function shownId({ id }: Task, { width }: Terminal): string {
  return width === undefined ? id : id.slice(-8);
}

const widestAgent = 16;

function renderTasks(tasks: readonly Task[], terminal: Terminal): string {
  const now = Date.now();
  return renderTable({
    columns: [
      { title: "ID" },
      { title: "AGENT" },
      { title: "STATE" },
      { title: "AGE", align: "right" },
      { title: "TOOK", align: "right" },
      { title: "WHAT" },
    ],
    rows: tasks.map((task) => [
      shownId(task, terminal),
      fitWidth(task.order.agent, widestAgent),
      task.state,
      formatAge(now - task.createdAt),
      durationOfTask(task, now),
      summarizeTask(task),
    ]),
    width: terminal.width,
    style: (cell, column) => (column === 2 ? terminal.style(colors[cell as TaskState], cell) : cell),
  });
}

const colors = {
  queued: "cyan",
  running: "cyan",
  completed: "green",
  failed: "red",
  cancelled: "yellow",
  timeout: "red",
  lost: "red",
} as const;

function readStates(invocation: Invocation): TaskState[] {
  const given = invocation.values("state").flatMap((value) => value.split(","));
  const states = given.map((value) => {
    const state = taskStates.find((each) => each === value.trim().toLowerCase());
    if (state) return state;
    const [meant] = nearest(value, taskStates, 1);
    const hint = meant === undefined ? `There are: ${taskStates.join(", ")}.` : `Did you mean ${meant}?`;
    throw new UsageError(`"${value}" is not a state of a task. ${hint}`);
  });
  if (!invocation.has("running")) return states;
  if (states.length > 0) throw new UsageError("--running and --state say two different things: leave one of them out.");
  return ["queued", "running"];
}

/** An agent may be gone and its tasks still be here; a name without agent and tasks is a mistake. */
function assertKnown(agent: string, agents: readonly { readonly name: string }[]): void {
  const names = agents.map(({ name }) => name);
  if (names.includes(agent)) return;
  const [meant] = nearest(agent, names, 1);
  const hint = meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${meant}?`;
  throw new UsageError(`There is no agent named "${agent}". ${hint}`);
}

function isFiltered(invocation: Invocation): boolean {
  return ["state", "agent", "running"].some((option) => invocation.has(option));
}
