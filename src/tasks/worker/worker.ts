import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { SharedTasks } from "../../core/shared-tasks.ts";
import type { TaskStore } from "../../core/task.ts";
import { createStrayHunt, type StrayParts } from "../manager/kill-orphaned-tasks.ts";
import type { TaskManager } from "../manager/task-manager.ts";
import type { OutputRange } from "../manager/task-output.ts";

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
