import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { Emit } from "../../../src/core/events.ts";
import { createProcesses } from "../../../src/process/processes.ts";
import {
  openPostgresTaskStore,
  type PostgresTaskStore,
} from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { createTaskManager, type TaskManager } from "../../../src/tasks/manager/task-manager.ts";
import type { TaskManagerOptions } from "../../../src/tasks/manager/task-parts.ts";
import { afterTest } from "../../support/after-test.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import type { WorkerSettings } from "../../fixtures/tasks/worker.ts";
import { taskOptions } from "./task-options.ts";
import { until } from "./until.ts";
import { join } from "node:path";

export interface TaskEvent {
  readonly type: string;
  readonly payload: unknown;
}

/** A process that orders and asks, and runs nothing. */
export interface Door {
  readonly store: PostgresTaskStore;
  readonly manager: TaskManager;
  readonly events: readonly TaskEvent[];
  readonly errors: readonly unknown[];
}

interface DoorSettings {
  readonly times: WorkerSettings["times"];
  /** Of a folder of its own, where it is left out. */
  readonly at?: string;
  readonly more?: Partial<TaskManagerOptions>;
}

export async function openDoor(t: TestContext, address: string, { times, at, more = {} }: DoorSettings): Promise<Door> {
  const folder = at ?? (await temporaryFolder(t));
  const events: TaskEvent[] = [];
  const errors: unknown[] = [];
  const emit: Emit = (type, payload) => void events.push({ type, payload });
  const store = await openPostgresTaskStore({
    scope: "app",
    address,
    clock: more.clock ?? systemClock,
    worker: null,
    times,
  });
  const processes = createProcesses({ runFolder: join(folder, "run"), clock: systemClock, sandbox: "off" });
  const options = taskOptions({ folder, store, processes, emit });
  const manager = createTaskManager({ ...options, onError: (thrown) => errors.push(thrown), ...more });
  afterTest(t, async () => {
    await manager.close();
    await store.close();
    await processes.close();
  });
  return { store, manager, events, errors };
}

export interface WorkerProcess {
  readonly pid: number;
  readonly events: readonly TaskEvent[];
  readonly count: (type: string) => number;
  readonly kill: () => Promise<void>;
  /** Asks it to end, and waits until it has. */
  readonly stop: () => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

const program = fileURLToPath(new URL("../../fixtures/tasks/worker.ts", import.meta.url));

/** Resolves when it takes tasks. */
export async function startWorker(t: TestContext, settings: WorkerSettings): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ["ignore", "pipe", "pipe"] });
  const events: TaskEvent[] = [];
  let errorText = "";
  createInterface({ input: child.stdout }).on("line", (line) => void events.push(JSON.parse(line) as TaskEvent));
  child.stderr.on("data", (chunk: Buffer) => (errorText += chunk.toString()));
  // Not "exit": what it said last may still be on its way then.
  const ended = once(child, "close");
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  afterTest(t, () => end("SIGKILL"));
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`The worker ended: ${errorText}`);
    return events.some(({ type }) => type === "ready");
  };
  await until(isReady, "a worker");
  return {
    pid: child.pid!,
    events,
    count: (wanted) => events.filter(({ type }) => type === wanted).length,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    signal: (signal) => void child.kill(signal),
  };
}
