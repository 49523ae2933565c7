import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemClock, type Clock } from "../../../src/core/clock.ts";
import type { Emit } from "../../../src/core/events.ts";
import type { TaskStore } from "../../../src/core/task.ts";
import { createProcesses, type Processes } from "../../../src/process/processes.ts";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { createSqliteTaskStore } from "../../../src/records/sqlite/sqlite-task-store.ts";
import { createTaskManager, type TaskManager } from "../../../src/tasks/manager/task-manager.ts";
import type { TaskManagerOptions } from "../../../src/tasks/manager/task-parts.ts";
import { afterTest } from "../../support/after-test.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { taskOptions } from "./task-options.ts";

export interface TaskRoom {
  readonly folder: string;
  readonly manager: TaskManager;
  readonly store: TaskStore;
  readonly processes: Processes;
  readonly events: readonly { readonly type: string; readonly payload: unknown }[];
  readonly errors: readonly unknown[];
}

/** A manager on a SQLite file; everything of it is ended and removed after the test. */
export async function openTasks(
  t: TestContext,
  more: Partial<TaskManagerOptions> = {},
  at?: string,
): Promise<TaskRoom> {
  const folder = at ?? (await temporaryFolder(t));
  const events: { type: string; payload: unknown }[] = [];
  const errors: unknown[] = [];
  const emit: Emit = (type, payload) => void events.push({ type, payload });
  const clock: Clock = more.clock ?? systemClock;
  const store = more.store ?? (await openTaskStore(t, folder));
  const processes = createProcesses({ runFolder: join(folder, "run"), clock: systemClock, sandbox: "off" });
  const manager = createTaskManager({
    ...taskOptions({ folder, store, processes, emit }),
    onError: (thrown) => errors.push(thrown),
    clock,
    ...more,
  });
  afterTest(t, async () => {
    await endAll(manager).catch(() => {});
    await manager.close().catch(() => {});
    await processes.close();
  });
  return { folder, manager, store, processes, events, errors };
}

export async function openTaskStore(t: TestContext, folder: string): Promise<TaskStore> {
  const database = await openDatabase({ path: join(folder, "deckhand.db"), clock: systemClock });
  afterTest(t, () => database.close());
  return createSqliteTaskStore(database);
}

async function endAll(manager: TaskManager): Promise<void> {
  await manager.adopt();
  const left = await manager.list({ limit: 1000, states: ["queued", "running"] });
  await Promise.all(left.map(({ id }) => manager.cancel(id, "the test is over")));
}
