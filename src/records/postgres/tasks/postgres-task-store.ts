import type { Clock } from "../../../core/clock.ts";
import type { SharedTasks } from "../../../core/shared-tasks.ts";
import type { Task, TaskStore } from "../../../core/task.ts";
import { addTask } from "./add-task.ts";
import { amendLost, changeTask, requestCancel, type Unsure } from "./change-task.ts";
import { createDispatch, shortenScope } from "./dispatch.ts";
import { countTasks, findRuns, findTask, listHere, listQueuedAgents, listTasks } from "./find-tasks.ts";
import { explainLack, explainWaits, listAgents } from "./find-workers.ts";
import { channel, listen } from "../listen-postgres.ts";
import { toKey } from "../../text-key.ts";
import { migratePostgres } from "../migrate-postgres.ts";
import { createOrderMemory } from "./order-memory.ts";
import { answerReaders, readElsewhere } from "./output-requests.ts";
import { patrol } from "./detect-lost-workers.ts";
import { openPostgresConnection, type PostgresConnection } from "../postgres-connection.ts";
import { findExpired, pruneExpired } from "./prune-tasks.ts";
import { toTask, unassignedScope, type StoreParts } from "./store-parts.ts";
import { takeTask } from "./take-task.ts";
import { repairTokens } from "./repair-tokens.ts";
import { enterRoll, type Worker } from "./worker-registry.ts";
import { usualWorkerTimes, type WorkerTimes } from "./worker-times.ts";

export interface PostgresTaskStoreOptions {
  /** `postgres://user:password@host/database`, with TLS as its `sslmode` says. */
  readonly address: string;
  readonly clock: Clock;
  /** Null: this process only orders and asks. */
  readonly worker: Worker | null;
  /** The project: no other one's tasks are seen, changed or taken. */
  readonly scope: string;
  /** The project's data folder; tasks of an older Deckhand, which recorded no project, belong to it when they lie there. */
  readonly dataFolder?: string;
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
  { clock, worker, times = usualWorkerTimes, keepMs, ...project }: PostgresTaskStoreOptions,
): Promise<PostgresTaskStore> {
  const scope = toKey(project.scope);
  await enterScope(connection, scope, project.dataFolder);
  const dispatch = createDispatch(connection, scope);
  const entry = worker && (await enterRoll(connection, worker, { clock, times, scope }));
  let news = 0;
  const tell = (): void => void (news += 1);
  const short = shortenScope(scope);
  const onNews = (from: string | undefined): void => {
    // Without a name: something may have been missed, or an older Deckhand wrote.
    if (!from || from === short) tell();
  };
  const listening = listen(connection, clock, { name: channel, onNews });
  const parts: StoreParts = {
    connection,
    dispatch,
    scope,
    news: `pg_notify('${channel}', '${short}')`,
    worker: worker && entry && { ...worker, workerId: entry.workerId },
    orders: createOrderMemory(),
    keepMs: keepMs ?? null,
    holdings: { ids: new Set(), taking: new Map(), isUnsure: false },
    tell,
  };
  if (worker) await repairTokens(parts);
  const unsure: Unsure = new Map();
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
    findRuns: (runs) => findRuns(parts, runs),
    amendLost: (run, set) => amendLost(parts, run, set),
    async patrol(now) {
      if (clock.monotonic() - patrolledAt < times.beatMs / 2) return [];
      patrolledAt = clock.monotonic();
      return patrol(parts, { now, times });
    },
    findExpired: (ids) => findExpired(parts, ids),
    pruneExpired: () => pruneExpired(parts),
    listAgents: () => listAgents({ connection, scope, times }),
    explainLack: (agent) => explainLack({ connection, scope, times }, agent),
    explainWaits: (tasks) => explainWaits({ connection, scope, times }, tasks),
    readElsewhere: (id, range) => readElsewhere(parts, { id, range, clock }),
    answerReaders: (read) => answerReaders(parts, read),
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
        "DELETE FROM deckhand.tasks WHERE scope = $2 AND completed_at < $1 AND state NOT IN ('queued', 'running') RETURNING *",
        [completedBefore, scope],
      );
      return rows.map((row) => toTask(parts, row));
    },
    revision: () => news + Math.floor(clock.monotonic() / pollMs),
    close: () => (closing ??= close()),
  };
}

/** Its silent workers are looked for from now on, and what an older Deckhand left in its folder is its. */
async function enterScope({ query }: PostgresConnection, scope: string, dataFolder?: string): Promise<void> {
  await query("INSERT INTO deckhand.patrol (looked_at, scope) VALUES (now(), $1) ON CONFLICT DO NOTHING", [scope]);
  if (dataFolder !== undefined) await query(takeUnassigned, [scope, `${toKey(dataFolder)}/`, unassignedScope]);
}

/** Not one whose key this project has used since; without its place, which may be taken. */
const takeUnassigned = `
  UPDATE deckhand.tasks SET scope = $1, place = NULL WHERE scope = $3 AND scope <> $1 AND starts_with(folder, $2)
    AND NOT EXISTS (SELECT 1 FROM deckhand.tasks AS own WHERE own.scope = $1 AND own.idempotency_key = tasks.idempotency_key)`;
