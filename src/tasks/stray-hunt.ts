import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "../core/ids.ts";
import type { SharedTasks, TaskRun } from "../core/shared-tasks.ts";
import type { Detached } from "../process/detached.ts";

export interface StrayParts {
  readonly shared: SharedTasks;
  readonly detached: Detached;
  /** Where tasks have their folders on this machine. */
  readonly folder: string;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

/**
 * A machine that was away for too long comes back with agents at work whose tasks were named lost meanwhile, or were started again
 * elsewhere. Nobody waits for them any more, so each call ends those that there are.
 */
export function createStrayHunt({ shared, detached, folder, graceMs }: StrayParts): () => Promise<void> {
  /** Runs that have ended, and so are looked at only once. */
  let ended = new Set<string>();

  async function listRuns(): Promise<Run[]> {
    const ids = (await list(folder)).filter((name) => isId("task", name));
    return (await Promise.all(ids.map((id) => runsOf(folder, id)))).flat();
  }

  return async () => {
    const runs = await listRuns();
    const states = new Map(runs.map(({ path }) => [path, ended.has(path) ? "ended" : detached.look(path).state]));
    ended = new Set(runs.map(({ path }) => path).filter((path) => isOver(states.get(path))));
    const living = runs.filter(({ path }) => states.get(path) === "running");
    const strays = await shared.findStrays(living);
    await Promise.all(strays.map(({ id, attempt }) => detached.stop(pathOf(folder, id, attempt), graceMs)));
  };
}

interface Run extends TaskRun {
  readonly path: string;
}

function isOver(state: string | undefined): boolean {
  return state === "ended" || state === "gone";
}

async function runsOf(folder: string, id: string): Promise<Run[]> {
  const attempts = (await list(join(folder, id))).flatMap((name) => /^run-(\d+)$/.exec(name)?.[1] ?? []);
  return attempts.map(Number).map((attempt) => ({ id, attempt, path: pathOf(folder, id, attempt) }));
}

function pathOf(folder: string, id: string, attempt: number): string {
  return join(folder, id, `run-${attempt}`);
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return []; // nothing has run here yet, or it went just now
  }
}
