import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isId } from "../../core/ids.ts";
import type { SharedTasks, TaskRun } from "../../core/shared-tasks.ts";
import type { Detached } from "../../process/detached/detached.ts";

export interface StrayParts {
  readonly shared: SharedTasks;
  readonly detached: Detached;
  /** Where tasks have their folders on this machine. */
  readonly folder: string;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Its task was called lost: what is known here is reported. */
  readonly amend: (run: TaskRun) => Promise<void>;
}

/**
 * A machine that was away for too long comes back with runs whose tasks were called lost meanwhile, or were started again elsewhere. Each
 * call ends those of them that still run, and reports what became of the lost ones.
 */
export function createStrayHunt({ shared, detached, folder, graceMs, amend }: StrayParts): () => Promise<void> {
  /** Runs that have ended and whose tasks have, too: they are looked at only once. */
  let settled = new Set<string>();

  async function listRuns(): Promise<Run[]> {
    const ids = (await list(folder)).filter((name) => isId("task", name));
    return (await Promise.all(ids.map((id) => runsOf(folder, id)))).flat();
  }

  return async () => {
    const runs = await listRuns();
    const states = new Map(
      runs.filter(({ path }) => !settled.has(path)).map(({ path }) => [path, detached.look(path).state]),
    );
    const begun = runs.filter(({ path }) => (states.get(path) ?? "unstarted") !== "unstarted");
    const found = await shared.findRuns(begun);
    await Promise.all(
      found.map(async (run) => {
        const path = pathOf(folder, run.id, run.attempt);
        if (run.standing === "lost") await amend(run);
        else if (run.standing === "over" && states.get(path) === "running") await detached.stop(path, graceMs);
      }),
    );
    const open = new Set(
      found.filter(({ standing }) => standing === "running").map(({ id, attempt }) => pathOf(folder, id, attempt)),
    );
    const isSettled = ({ path }: Run): boolean => settled.has(path) || (isOver(states.get(path)) && !open.has(path));
    settled = new Set(runs.filter(isSettled).map(({ path }) => path));
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
