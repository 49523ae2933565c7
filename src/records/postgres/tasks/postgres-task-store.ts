import type { Clock } from "../../../core/clock.ts";
import { messageOf, RuntimeError } from "../../../core/errors.ts";
import type { SharedTasks, Task, TaskOrder, TaskStore, WorkerAgents } from "../../../core/task.ts";
import { fromKey, toKey } from "../../store-rules.ts";
import { channel, listen } from "../listen-postgres.ts";
import { migratePostgres } from "../migrate-postgres.ts";
import { openPostgresConnection, type PostgresConnection } from "../postgres-connection.ts";
import { isConnectionLoss } from "../postgres-error.ts";
import { amendLost, changeTask, requestCancel, type Unsure } from "./change-task.ts";
import { patrol } from "./detect-lost-workers.ts";
import { createDispatch, repairTokens, shortenScope } from "./dispatch.ts";
import {
  countTasks,
  findExpired,
  findRuns,
  findTask,
  listHere,
  listQueuedAgents,
  listTasks,
  longestKeepMs,
  pruneExpired,
} from "./find-tasks.ts";
import { createOrderMemory, type StoreParts, toTask, unassignedScope } from "./store-parts.ts";
import { takeTask } from "./take-task.ts";
import { allColumns } from "./task-columns.ts";
import { enterRoll, usualWorkerTimes, type Worker, type WorkerTimes } from "./worker-registry.ts";

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

/** Its id makes a second try harmless: one that was kept, without our hearing so, is found again. */
async function addTask(parts: StoreParts, task: Task): Promise<Task> {
  try {
    return await insert(parts, task);
  } catch (thrown) {
    if (!isConnectionLoss(thrown)) throw thrown;
    return insert(parts, task);
  }
}

async function insert(parts: StoreParts, task: Task): Promise<Task> {
  const { connection, dispatch, scope, worker, keepMs } = parts;
  const pinnedTo = await findPin(parts, task.order);
  const here = task.owner ? worker : null;
  const columns = [
    ...allColumns(task),
    { name: "scope", value: scope },
    { name: "pinned_to", value: pinnedTo },
    { name: "machine_id", value: here?.machineId ?? null },
    { name: "worker_id", value: here?.workerId ?? null },
    ...(keepMs === null ? [] : [{ name: "keep_ms", value: Math.min(keepMs, longestKeepMs) }]),
  ];
  if (task.state === "queued") await (await dispatch.open({ agent: task.order.agent, pinnedTo })).announce();
  for (;;) {
    const places = columns.map((_, index) => `$${index + 1}`).join(", ");
    const [inserted] = await connection.query(
      `INSERT INTO deckhand.tasks (${columns.map(({ name }) => name).join(", ")}) VALUES (${places})
      ON CONFLICT DO NOTHING RETURNING ${parts.news}`,
      columns.map(({ value }) => value),
      "add_task",
    );
    parts.tell();
    if (inserted) return task;
    const kept = await findKept(parts, task);
    // Undefined: the one with this key went just now.
    if (kept) return kept;
  }
}

async function findKept(parts: StoreParts, { id, order }: Task): Promise<Task | undefined> {
  const key = order.idempotencyKey === null ? null : toKey(order.idempotencyKey);
  const statement = "SELECT * FROM deckhand.tasks WHERE id = $1 OR (scope = $3 AND idempotency_key = $2)";
  const [row] = await parts.connection.query(statement, [id, key, parts.scope]);
  return row && toTask(parts, row);
}

/** A session lies on the machine where it began. */
async function findPin({ connection, scope }: StoreParts, { agent, resume }: TaskOrder): Promise<string | null> {
  if (resume === null) return null;
  const [row] = await connection.query(
    `SELECT machine_id FROM deckhand.tasks WHERE session_id = $1 AND agent = $2 AND scope = $3 AND machine_id IS NOT NULL
    ORDER BY id DESC LIMIT 1`,
    [toKey(resume), toKey(agent), scope],
  );
  return row ? String(row["machine_id"]) : null;
}

/** The workers of one project; those of others can't take its tasks. */
interface WorkersParts {
  readonly connection: PostgresConnection;
  readonly scope: string;
  readonly times: WorkerTimes;
}

/** Why no worker that lives can take tasks of this agent; undefined: one can, or there is none to judge by. */
async function explainLack({ connection, scope, times }: WorkersParts, agent: string): Promise<string | undefined> {
  const [row] = await connection.query(countWorkers, [toKey(agent), times.lostMs, scope]);
  if (Number(row?.["live"]) === 0 || Number(row?.["able"]) > 0) return undefined;
  const agents = (row?.["agents"] as readonly string[] | null) ?? [];
  const have = agents.length === 0 ? "none" : agents.map(fromKey).join(", ");
  return `No worker has the agent "${agent}" (available: ${have}). Install it on a worker's machine and restart that worker, or start another worker.`;
}

async function listAgents({ connection, scope, times }: WorkersParts): Promise<WorkerAgents> {
  const [row] = await connection.query(findAgents, [times.lostMs, scope]);
  const names = ((row?.["names"] as readonly string[] | null) ?? []).map(fromKey);
  return { names, isWhole: row?.["is_whole"] !== false };
}

/** Of these tasks, what those wait for that no worker can take now. */
async function explainWaits(
  { connection, scope, times }: WorkersParts,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, string>> {
  const ids = tasks.filter(({ state }) => state === "queued").map(({ id }) => toKey(id));
  if (ids.length === 0) return new Map();
  const rows = await connection.query(findForsaken, [ids, times.lostMs, scope]);
  return new Map(
    rows.map((row) => {
      const pinnedTo = row["pinned_to"] as string | null;
      const project = row["has_others"] === true ? ` of the project "${fromKey(scope)}"` : "";
      const having = row["is_lonely"] === true ? project : ` that has "${fromKey(String(row["agent"]))}"`;
      const where = pinnedTo === null ? "" : ` on the machine "${pinnedTo}"`;
      return [fromKey(String(row["id"])), `waiting for a worker${having}${where}`];
    }),
  );
}

const isLive = "workers.seen_at > now() - $2 * interval '1 ms'";
const isOurs = `workers.scope = $3 AND ${isLive}`;

const findAgents = `
  SELECT array_agg(DISTINCT agent ORDER BY agent) FILTER (WHERE agent IS NOT NULL) AS names, bool_and(agents IS NOT NULL) AS is_whole
  FROM deckhand.workers LEFT JOIN LATERAL unnest(agents) AS agent ON true
  WHERE scope = $2 AND seen_at > now() - $1 * interval '1 ms'`;

const countWorkers = `
  SELECT count(*) AS live, count(*) FILTER (WHERE agents IS NULL OR $1 = ANY(agents)) AS able,
    (SELECT array_agg(DISTINCT agent ORDER BY agent) FROM deckhand.workers, unnest(agents) AS agent WHERE ${isOurs}) AS agents
  FROM deckhand.workers WHERE ${isOurs}`;

const findForsaken = `
  SELECT id, agent, pinned_to, NOT EXISTS (SELECT 1 FROM deckhand.workers WHERE ${isOurs}) AS is_lonely,
    EXISTS (SELECT 1 FROM deckhand.workers WHERE ${isLive}) AS has_others
  FROM deckhand.tasks WHERE id = ANY($1) AND scope = $3 AND state = 'queued' AND NOT EXISTS (
    SELECT 1 FROM deckhand.workers WHERE ${isOurs} AND (agents IS NULL OR tasks.agent = ANY(agents))
      AND (pinned_to IS NULL OR machine_id = pinned_to))`;

/** So long the other machine may take. */
const answerMs = 10_000;
const lookMs = 50;

export interface OutputReading {
  readonly id: string;
  readonly range: unknown;
  readonly clock: Clock;
}

/** Puts a question to the machine that ran the task, and waits for its answer. */
async function readElsewhere(parts: StoreParts, reading: OutputReading): Promise<unknown> {
  const { scope, worker, news } = parts;
  const { query } = parts.connection;
  const { id, clock } = reading;
  const find = "SELECT machine_id, folder FROM deckhand.tasks WHERE id = $1 AND scope = $2";
  const [row] = await query(find, [toKey(id), scope]);
  const machine = row?.["machine_id"];
  if (typeof machine !== "string" || machine === worker?.machineId) return undefined;
  const [request] = await query(askSql(news), [toKey(id), machine, JSON.stringify(reading.range), scope]);
  const until = clock.monotonic() + answerMs;
  for (;;) {
    const [answered] = await query(takeAnswer, [request!["id"]]);
    if (answered) return readAnswer(String(answered["answer"]));
    if (clock.monotonic() > until) break;
    await new Promise<void>((resolve) => clock.after(lookMs, resolve));
  }
  await query("DELETE FROM deckhand.output_requests WHERE id = $1", [request!["id"]]);
  throw new RuntimeError(
    "STORE_UNAVAILABLE",
    `The machine "${machine}", which ran ${id}, does not respond. Restart its worker, or read ${String(row?.["folder"])} there.`,
  );
}

async function answerReaders(
  { connection: { query }, scope, worker }: StoreParts,
  read: (id: string, range: unknown) => Promise<unknown>,
): Promise<void> {
  if (!worker) return;
  const requests = await query(findRequests, [worker.machineId, scope]);
  for (const request of requests) {
    const answer = await answerOne(() =>
      read(fromKey(String(request["task_id"])), JSON.parse(String(request["range"]))),
    );
    await query("UPDATE deckhand.output_requests SET answer = $2 WHERE id = $1 AND answer IS NULL", [
      request["id"],
      JSON.stringify(answer),
    ]);
  }
}

interface Answer {
  readonly output?: unknown;
  readonly error?: string;
}

async function answerOne(read: () => Promise<unknown>): Promise<Answer> {
  try {
    return { output: await read() };
  } catch (thrown) {
    return { error: messageOf(thrown) };
  }
}

function readAnswer(text: string): unknown {
  const { output, error } = JSON.parse(text) as Answer;
  if (error !== undefined) throw new RuntimeError("TASK_UNKNOWN", error);
  return output;
}

const askSql = (news: string): string => `
  INSERT INTO deckhand.output_requests (task_id, machine_id, range, scope) VALUES ($1, $2, $3, $4) RETURNING id, ${news}`;

const findRequests = `
  SELECT id, task_id, range FROM deckhand.output_requests WHERE machine_id = $1 AND scope = $2 AND answer IS NULL
  ORDER BY id LIMIT 20`;

const takeAnswer = "DELETE FROM deckhand.output_requests WHERE id = $1 AND answer IS NOT NULL RETURNING answer";
