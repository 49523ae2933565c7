import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "../../core/ids.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { isFinalTask, type Task } from "../../core/task.ts";
import { removeTaskFolder } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";

/** Those that are still kept. The time counts from a task's end: one that runs is always among them. */
export async function dropExpired(options: TaskManagerOptions, tasks: readonly Task[]): Promise<Task[]> {
  const { store, clock, limits } = options;
  const ended = tasks.filter(({ state, completedAt }) => isFinalTask(state) && completedAt !== null);
  const ids = ended.map(({ id }) => id);
  if (store.shared) {
    const expired = ids.length === 0 ? new Set<string>() : await store.shared.findExpired(ids);
    return tasks.filter(({ id }) => !expired.has(id));
  }
  const before = clock.now() - limits.ttlMs;
  const expired = new Set(ended.filter(({ completedAt }) => completedAt! < before));
  return tasks.filter((task) => !expired.has(task));
}

export async function expireTasks(options: TaskManagerOptions): Promise<void> {
  const { store, clock, limits } = options;
  const expired = await (store.shared ? store.shared.pruneExpired() : store.prune(clock.now() - limits.ttlMs));
  await Promise.all(expired.map(({ folder }) => removeTaskFolder(options.folder, folder)));
}

/**
 * Removes folders that no task belongs to: their rows went, and then the process that was to remove them. A folder may belong to a
 * task of another store, so each store takes only its own: one that lives in a process writes down who that is, and what it forgot
 * when that died is ended first, since nobody will ever ask for it; the one that lasts takes what is old and idle.
 */
export async function sweepFolders(options: TaskManagerOptions): Promise<void> {
  // Nothing here is of its making.
  if (options.store.shared?.runsHere === false) return;
  const names = (await readdir(options.folder)).filter((name) => isId("task", name));
  for (const name of names) {
    if (await options.store.get(name)) continue;
    const folder = join(options.folder, name);
    const runs = (await listFolder(folder)).filter((each) => each.startsWith("run-")).map((each) => join(folder, each));
    const isForgotten = !options.store.isDurable && (await ownerOf(options, folder)) === "gone";
    if (isForgotten) for (const run of runs) await options.detached.stop(run, options.limits.graceMs);
    const isIdle = runs.every((run) => options.detached.look(run).state !== "running");
    if (isIdle && (isForgotten || (await isLeft(options, folder)))) await removeTaskFolder(options.folder, folder);
  }
}

/** Whoever started it, for stores that others can't look into. */
export const ownerFile = "owner.json";
/** The store that knows it, where a machine may work for several. */
export const storeFile = "store";

async function isLeft(options: TaskManagerOptions, folder: string): Promise<boolean> {
  const { isDurable, shared } = options.store;
  if (!isDurable || (await ownerOf(options, folder)) === "alive") return false;
  const store = await readFile(join(folder, storeFile), "utf8").catch(() => null);
  return (store === null || store === shared?.name) && isOld(options, folder);
}

async function ownerOf({ isAlive }: TaskManagerOptions, folder: string): Promise<"alive" | "gone" | "unnamed"> {
  try {
    const owner = JSON.parse(await readFile(join(folder, ownerFile), "utf8")) as ProcessIdentity;
    return isAlive(owner) ? "alive" : "gone";
  } catch {
    return "unnamed";
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

/** How often they are looked for. */
const lookMs = 5000;
/** So long another process that has the agent in its settings may take to start one, or to come back. */
const patienceMs = 60_000;

/**
 * Agents that tasks wait for and nobody here knows: they were taken out of the settings. Whoever asks gets those that have waited for
 * a while with none of them at work. Empty where machines share the store: another one may have it.
 */
export function createForgottenAgents({ store, adapters, clock }: TaskManagerOptions): () => Promise<string[]> {
  const seenAt = new Map<string, number>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function isStuck(agent: string): Promise<boolean> {
    return !adapters.has(agent) && (await store.count({ agent, states: ["running"] })) === 0;
  }

  return async () => {
    const now = clock.monotonic();
    if (store.shared || now - lookedAt < lookMs) return [];
    lookedAt = now;
    const waiting = await store.queuedAgents();
    const stuck = new Set<string>();
    for (const agent of waiting) if (await isStuck(agent)) stuck.add(agent);
    for (const agent of seenAt.keys()) if (!stuck.has(agent)) seenAt.delete(agent);
    for (const agent of stuck) if (!seenAt.has(agent)) seenAt.set(agent, now);
    return [...seenAt].filter(([, since]) => now - since >= patienceMs).map(([agent]) => agent);
  };
}
