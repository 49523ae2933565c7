import { existsSync, realpathSync } from "node:fs";
import { taskStates, isFinalTask, type TaskStore } from "../../core/task.ts";
import { removeTaskFolder } from "../../tasks/manager/task-folder.ts";

const pageSize = 500;

/** How many background tasks ended before that time; those that still run never did. */
export async function countExpired(store: TaskStore, before: number): Promise<number> {
  let count = 0;
  for (let beforeId: string | undefined; ;) {
    const states = taskStates.filter(isFinalTask);
    const page = await store.list({ limit: pageSize, states, ...(beforeId === undefined ? {} : { beforeId }) });
    count += page.filter(({ completedAt }) => completedAt !== null && completedAt < before).length;
    beforeId = page.at(-1)?.id;
    if (page.length < pageSize) return count;
  }
}

/** Their rows first: a folder without one is removed by whoever comes next. */
export async function removeExpired(store: TaskStore, before: number, folder: string): Promise<void> {
  const expired = await store.prune(before);
  if (!existsSync(folder)) return;
  const tasksFolder = realpathSync(folder);
  for (const task of expired) await removeTaskFolder(tasksFolder, task.folder);
}
