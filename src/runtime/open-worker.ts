import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { messageOf, RuntimeError } from "../core/errors.ts";
import { isAway } from "../records/postgres/postgres-error.ts";
import { openPostgresTaskStore } from "../records/postgres/tasks/postgres-task-store.ts";
import { checkMachineId, readMachineId } from "../tasks/manager/machine-id.ts";
import { createTaskManager } from "../tasks/manager/task-manager.ts";
import { createWorker } from "../tasks/worker/worker.ts";
import { claimDataFolder } from "../records/claim-data-folder.ts";
import { scopeOf } from "../config/folders.ts";
import { isInstalled } from "./open-conversation.ts";
import { configuredAdapters, taskManagerOptions, type TasksParts } from "./open-tasks.ts";

/** Runs tasks of a shared store on this machine. */
export interface OpenedWorker {
  /** By which this machine adopts what it has started. */
  readonly machine: string;
  /** The project whose tasks it runs. */
  readonly scope: string;
  /** What it can run. */
  readonly agents: readonly string[];
  /** Takes nothing any more; what runs goes on, and this machine has a minute to come back to it. */
  stop(): Promise<void>;
}

export interface WorkerOrder {
  readonly machine: string | null;
  /** Where it is given, a store that is away is waited for until the signal; else the first try decides. */
  readonly waiting?: { readonly signal: AbortSignal; readonly onWait: (reason: string) => void };
}

const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** Rejects with a RuntimeError when there is no shared store, no agent, or the store can't be used. */
export async function openWorker(parts: TasksParts, { machine, waiting }: WorkerOrder): Promise<OpenedWorker> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await tryToOpen(parts, machine);
    } catch (thrown) {
      if (!waiting || !isAway(thrown)) throw thrown;
      if (!waiting.signal.aborted) waiting.onWait(messageOf(thrown));
      await pause(parts.clock, pauseMs, waiting.signal);
      if (waiting.signal.aborted) throw thrown;
    }
  }
}

async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(delayMs, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  cancel();
}

async function tryToOpen(parts: TasksParts, machine: string | null): Promise<OpenedWorker> {
  const { configuration, folders, processes, clock, env } = parts;
  const { url } = configuration.store;
  if (url === null) {
    throw new RuntimeError("CONFIG_INVALID", "A worker needs a shared store: give --store postgres://…, or store.url.");
  }
  claimDataFolder(folders);
  // Not where this machine's own tasks lie: each sweeps away what the other knows.
  const shared = join(folders.data, "shared-tasks");
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  const folder = realpathSync(shared);
  const machineId = machine === null ? await readMachineId(folder) : checkMachineId(machine, "--machine");
  const adapters = new Map(
    [...configuredAdapters(configuration)].filter(([, { program }]) =>
      isInstalled(processes, program, { cwd: folders.workdir, env }),
    ),
  );
  const scope = scopeOf(configuration, folders);
  const store = await openPostgresTaskStore({
    address: url,
    clock,
    scope,
    dataFolder: dirname(folder),
    worker: { machineId, identity: processes.identity, folder, agents: [...adapters.keys()] },
  });
  try {
    const options = taskManagerOptions(parts, { store, folder, adapters });
    const { detached, limits, onError } = options;
    const manager = createTaskManager(options);
    const worker = createWorker({ store, manager, detached, folder, clock, graceMs: limits.graceMs, onError });
    await worker.start();
    return {
      machine: machineId,
      scope,
      agents: [...adapters.keys()],
      async stop() {
        await worker.stop();
        await store.close();
      },
    };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}
