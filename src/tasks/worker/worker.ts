import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { SharedTasks, TaskRun, TaskStore } from "../../core/task.ts";
import type { Detached } from "../../process/detached/detached.ts";
import type { TaskManager } from "../manager/task-manager.ts";
import type { OutputRange } from "../manager/task-output.ts";
import type { AgentInfo } from "../manager/task-service.ts";

/** Runs tasks that others have ordered, on this machine. */
export interface Worker {
  /** Adopts what this machine has left running, and takes tasks from then on. Rejects when the store can't be used. */
  start(): Promise<void>;
  /** Takes nothing any more and lets go of what runs: it goes on, and this machine has a minute to come back to it. */
  stop(): Promise<void>;
}

export interface WorkerOptions extends Omit<StrayParts, "shared" | "amend"> {
  readonly store: TaskStore & { readonly shared: SharedTasks };
  /** Of the same store and folder; it is closed with the worker. */
  readonly manager: TaskManager;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}

/** How often somebody who asks for output is looked for; only where there is news, and that costs nothing. */
const lookMs = 100;
const strayMs = 10_000;
/** Folders of tasks that other machines have forgotten go then. */
const sweepMs = 15 * 60_000;

export function createWorker(options: WorkerOptions): Worker {
  const { store, manager, clock } = options;
  const isDue = { strays: every(strayMs), sweep: every(sweepMs) };
  const endStrays = createStrayHunt({ ...options, shared: store.shared, amend: (run) => manager.amendLost(run) });
  let seen: number | undefined;
  let complaint = "";
  let cancelTimer = (): void => {};
  let turning = Promise.resolve();
  let stopping: Promise<void> | undefined;

  function turn(): void {
    turning = takeTurn().then(() => {
      if (!stopping) cancelTimer = clock.after(lookMs, turn);
    }, complain);
  }

  async function takeTurn(): Promise<void> {
    try {
      const revision = await store.revision();
      if (revision !== seen) await store.shared.answerReaders((id, range) => manager.output(id, range as OutputRange));
      seen = revision;
      if (isDue.strays()) await endStrays();
      if (isDue.sweep()) await manager.adopt();
      complaint = "";
    } catch (thrown) {
      complain(thrown);
    }
  }

  /** Once for each reason: it is tried again ten times a second. */
  function complain(thrown: unknown): void {
    const message = messageOf(thrown);
    if (message !== complaint) options.onError(thrown);
    complaint = message;
  }

  function every(delayMs: number): () => boolean {
    let next = clock.monotonic() + delayMs;
    return () => {
      if (clock.monotonic() < next) return false;
      next = clock.monotonic() + delayMs;
      return true;
    };
  }

  async function end(): Promise<void> {
    cancelTimer();
    await turning;
    await manager.close();
  }

  return {
    async start() {
      await endStrays();
      await manager.adopt();
      turn();
    },
    stop: () => (stopping ??= end()),
  };
}

interface StrayParts {
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
function createStrayHunt({ shared, detached, folder, graceMs, amend }: StrayParts): () => Promise<void> {
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

/** The agents that this machine knows, and those of workers; where workers run tasks, what they have is what is installed. */
export async function withWorkers(
  known: readonly AgentInfo[],
  shared: SharedTasks | undefined,
  usualLimit: number,
): Promise<readonly AgentInfo[]> {
  if (shared?.runsHere !== false) return known;
  const { names, isWhole } = await shared.listAgents();
  const have = new Set(names);
  const others = names.filter((name) => known.every((agent) => agent.name !== name));
  return [
    ...known.map((agent) => ({ ...agent, isInstalled: have.has(agent.name) || (!isWhole && agent.isInstalled) })),
    ...others.map((name) => describeOther(name, usualLimit)),
  ];
}

/** One that only the settings of a worker name: what it can do, nobody knows here. */
function describeOther(name: string, limit: number): AgentInfo {
  const title = `${name}, of a worker`;
  return { name, title, isInstalled: true, install: "", canResume: false, printsText: true, limit };
}
