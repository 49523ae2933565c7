import type { Clock } from "../../core/clock.ts";
import type { SharedTasks } from "../../core/shared-tasks.ts";
import type { Task, TaskStore } from "../../core/task.ts";
import { addTask } from "./add-task.ts";
import { changeTask, requestCancel, type Unsure } from "./change-task.ts";
import { createDispatch } from "./dispatch.ts";
import { countTasks, findStrays, findTask, listHere, listQueuedAgents, listTasks } from "./find-tasks.ts";
import { explainLack, explainWaits, listAgents } from "./find-workers.ts";
import { channel, listen } from "./listen.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { createOrderMemory } from "./order-memory.ts";
import { answerReaders, readElsewhere } from "./output-requests.ts";
import { patrol } from "./patrol.ts";
import { openPostgresConnection, type PostgresConnection } from "./postgres-connection.ts";
import { findExpired, pruneExpired } from "./prune-tasks.ts";
import { toTask, type StoreParts } from "./store-parts.ts";
import { takeTask } from "./take-task.ts";
import { repairTokens } from "./repair-tokens.ts";
import { enterRoll, type Worker } from "./worker-roll.ts";
import { usualWorkerTimes, type WorkerTimes } from "./worker-times.ts";

export interface PostgresTaskStoreOptions {
  /** `postgres://user:password@host/database`, with TLS as its `sslmode` says. */
  readonly address: string;
  readonly clock: Clock;
  /** Null: this process only orders and asks. */
  readonly worker: Worker | null;
  readonly times?: WorkerTimes;
  /** How long what this process orders is kept after its end; left out: an hour. */
  readonly keepMs?: number;
}

export interface PostgresTaskStore extends TaskStore {
  readonly shared: SharedTasks;
}

/** So often whoever looks sees a change that nobody told of: notifications do not get through everywhere. */
const pollMs = 2000;

/** Tasks in a database that any number of machines share. The row is the truth; pg-boss only tells workers that there is one. */
export async function openPostgresTaskStore(options: PostgresTaskStoreOptions): Promise<PostgresTaskStore> {
  const connection = openPostgresConnection(options.address);
  try {
    await migratePostgres(connection);
    return await openStore(connection, options);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

async function openStore(
  connection: PostgresConnection,
  { clock, worker, times = usualWorkerTimes, keepMs }: PostgresTaskStoreOptions,
): Promise<PostgresTaskStore> {
  const dispatch = createDispatch(connection);
  const entry = worker && (await enterRoll(connection, worker, { clock, times }));
  let news = 0;
  const tell = (): void => void (news += 1);
  const listening = listen(connection, clock, { name: channel, onNews: tell });
  const parts: StoreParts = {
    connection,
    dispatch,
    worker: worker && entry && { ...worker, workerId: entry.workerId },
    orders: createOrderMemory(),
    keepMs: keepMs ?? null,
    holdings: { ids: new Set(), taking: new Map(), isUnsure: false },
    tell,
  };
  if (worker) await repairTokens(connection, dispatch);
  const unsure: Unsure = new Map();
  const machineId = worker?.machineId ?? null;
  let patrolledAt = Number.NEGATIVE_INFINITY;

  async function close(): Promise<void> {
    await listening.close();
    await entry?.close();
    await dispatch.close();
    await connection.close();
  }

  let closing: Promise<void> | undefined;

  const shared: SharedTasks = {
    name: connection.name,
    runsHere: worker !== null,
    listHere: () => listHere(parts),
    findStrays: (runs) => findStrays(parts, runs),
    async patrol(now) {
      if (clock.monotonic() - patrolledAt < times.beatMs / 2) return [];
      patrolledAt = clock.monotonic();
      return patrol({ connection, dispatch, times }, now);
    },
    findExpired: (ids) => findExpired(parts, ids),
    pruneExpired: () => pruneExpired(parts),
    listAgents: () => listAgents(connection, times),
    explainLack: (agent) => explainLack(connection, agent, times),
    explainWaits: (tasks) => explainWaits(connection, tasks, times),
    readElsewhere: (id, range) => readElsewhere(connection, { id, range, clock, machineId }),
    async answerReaders(read) {
      if (machineId !== null) await answerReaders(connection, machineId, read);
    },
  };

  return {
    isDurable: true,
    shared,
    add: (task) => addTask(parts, task),
    get: (id) => findTask(parts, id),
    list: (query) => listTasks(parts, query),
    count: (query) => countTasks(parts, query),
    update: (id, change) => changeTask(parts, unsure, { id, change }),
    takeNext: (agent, order) => takeTask(parts, agent, order),
    queuedAgents: () => listQueuedAgents(parts),
    requestCancel: (id, reason) => requestCancel(parts, id, reason),
    async prune(completedBefore): Promise<Task[]> {
      const rows = await connection.query(
        "DELETE FROM deckhand.tasks WHERE completed_at < $1 AND state NOT IN ('queued', 'running') RETURNING *",
        [completedBefore],
      );
      return rows.map((row) => toTask(parts, row));
    },
    revision: () => news + Math.floor(clock.monotonic() / pollMs),
    close: () => (closing ??= close()),
  };
}
