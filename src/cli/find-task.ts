import { RuntimeError } from "../core/errors.ts";
import { isId } from "../core/ids.ts";
import type { Task } from "../core/task.ts";
import { UsageError } from "./command.ts";
import type { TasksView } from "./with-tasks.ts";

/** How far back a part of an id is looked for. */
const lookedThrough = 1000;
/** Ids begin with the time, so a short beginning fits them all. */
const shortestPart = 4;

/**
 * The task with this id, the only one of the last 1,000 whose id begins or ends like this, or the `last` that was ordered. Throws
 * TASK_UNKNOWN when there is none and a UsageError when there are several.
 */
export async function findTask({ tasks, runtime }: TasksView, given: string): Promise<Task> {
  const id = given.trim().toLowerCase();
  if (id === "last") {
    const [last] = await tasks.list({ limit: 1 });
    return last ?? unknown(`There are no tasks in ${runtime.workdir}.`);
  }
  const part = id.replace(/^task_/, "");
  const nothing = `There is no task "${given}" in ${runtime.workdir}, or it has expired. See deckhand tasks.`;
  if (isId("task", `task_${part}`)) return (await tasks.get(`task_${part}`)) ?? unknown(nothing);
  if (part.length < shortestPart) {
    throw new UsageError(`"${given}" is too short for an id: give at least ${shortestPart} characters of its end.`);
  }
  const all = await tasks.list({ limit: lookedThrough });
  const found = all.filter((task) => task.id.endsWith(part) || task.id.startsWith(`task_${part}`));
  if (found.length <= 1) return found[0] ?? unknown(nothing);
  const shown = found.slice(0, 3).map((task) => task.id);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : "";
  throw new UsageError(`"${given}" could be ${found.length} tasks: ${shown.join(", ")}${more}. Give more of the id.`);
}

function unknown(sentence: string): never {
  throw new RuntimeError("TASK_UNKNOWN", sentence);
}
