import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "../core/ids.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import { isFinalTask, type Task } from "../core/task.ts";
import { removeTaskFolder } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";

/** Counted from its end: one that still runs never is. */
export function isExpired({ clock, limits }: TaskManagerOptions, { state, completedAt }: Task): boolean {
  return isFinalTask(state) && completedAt !== null && clock.now() - completedAt > limits.ttlMs;
}

export async function expireTasks(options: TaskManagerOptions): Promise<void> {
  const expired = await options.store.prune(options.clock.now() - options.limits.ttlMs);
  await Promise.all(expired.map(({ folder }) => removeTaskFolder(options.folder, folder)));
}

/**
 * Removes folders that no task belongs to: their rows went, and then the process that was to remove them. Where the store forgets
 * what ran when its process dies, nobody will ever ask for that again, so it is ended first; everywhere else it is left alone.
 */
export async function sweepFolders(options: TaskManagerOptions): Promise<void> {
  const names = (await readdir(options.folder)).filter((name) => isId("task", name));
  for (const name of names) {
    if (await options.store.get(name)) continue;
    const folder = join(options.folder, name);
    const runs = (await listFolder(folder)).filter((each) => each.startsWith("run-")).map((each) => join(folder, each));
    const isForgotten = !options.store.isDurable && !(await isOwned(options, folder));
    if (isForgotten) for (const run of runs) await options.detached.stop(run, options.limits.graceMs);
    const isIdle = runs.every((run) => options.detached.look(run).state !== "running");
    if (isIdle && (isForgotten || (await isOld(options, folder)))) await removeTaskFolder(options.folder, folder);
  }
}

/** Whoever started it, for stores that others can't look into. */
export const ownerFile = "owner.json";

async function isOwned({ isAlive }: TaskManagerOptions, folder: string): Promise<boolean> {
  try {
    return isAlive(JSON.parse(await readFile(join(folder, ownerFile), "utf8")) as ProcessIdentity);
  } catch {
    return true; // it is not known, so it may be somebody's
  }
}

async function isOld({ clock, limits }: TaskManagerOptions, folder: string): Promise<boolean> {
  try {
    return clock.now() - (await stat(folder)).mtimeMs > limits.ttlMs;
  } catch {
    return false; // somebody was quicker
  }
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
