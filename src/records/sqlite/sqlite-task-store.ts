import { cutMiddle } from "../../core/text.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { isFinalTask, type Task, type TaskOrder, type TaskQuery, type TaskStore } from "../../core/task.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { damaged } from "../store-error.ts";
import { fromKey, toKey } from "../store-rules.ts";
import type { Database } from "./database.ts";
import type { Connection, Parameter, Row } from "./sqlite-connection.ts";

const selectTask = `
  SELECT tasks.id, tasks.body, task_orders.body AS order_body
  FROM tasks JOIN task_orders ON task_orders.task_id = tasks.id`;

function insertTask(connection: Connection, task: Task): void {
  const { agent, idempotencyKey } = task.order;
  const key = idempotencyKey === null ? null : toKey(idempotencyKey);
  connection.run(insert, task.id, toKey(agent), key, ...changingColumns(task));
  connection.run("INSERT INTO task_orders (task_id, body) VALUES (?, ?)", task.id, JSON.stringify(toWire(task.order)));
}

/** Without secrets, once the task has ended. */
function replaceOrder(connection: Connection, { id, order }: Task): void {
  connection.run("UPDATE task_orders SET body = ? WHERE task_id = ?", JSON.stringify(toWire(order)), id);
}

/** Everything but the order. */
function updateTask(connection: Connection, task: Task): void {
  connection.run(update, ...changingColumns(task), task.id);
}

function taskFromRow(row: Row, path: string): Task {
  try {
    const order = fromWire(JSON.parse(String(row["order_body"]))) as TaskOrder;
    return { ...(fromWire(JSON.parse(String(row["body"]))) as Omit<Task, "order">), order };
  } catch (thrown) {
    throw damaged(path, `the task ${String(row["id"])} can't be read`, { cause: thrown });
  }
}

function isOwnedBy({ owner }: Task, other: ProcessIdentity | null): boolean {
  return owner?.pid === other?.pid && owner?.startTime === other?.startTime && owner?.bootId === other?.bootId;
}

const insert = `
  INSERT INTO tasks (id, agent, idempotency_key, state, completed_at, body)
  VALUES (?, ?, ?, ?, ?, ?)`;

const update = "UPDATE tasks SET state = ?, completed_at = ?, body = ? WHERE id = ?";

function changingColumns(task: Task): Parameter[] {
  return [task.state, task.completedAt, JSON.stringify(toWire({ ...task, order: undefined }))];
}

const longestReason = 10_000;

/** Tasks in the database that all stores of a process share. */
export function createSqliteTaskStore(database: Database): TaskStore {
  /** Our own writes do not change `data_version`, but whoever waits must see ours too. */
  let ownWrites = 0;

  function find(connection: Connection, id: string): Task | undefined {
    const row = connection.get(`${selectTask} WHERE tasks.id = ?`, id);
    return row && taskFromRow(row, database.path);
  }

  /** Undefined from `change`: it stays as it is. */
  const changeOne = (id: string, change: (task: Task) => Task | undefined): Promise<Task | undefined> =>
    database.write((connection) => {
      const task = find(connection, id);
      const changed = task && !isFinalTask(task.state) ? change(task) : undefined;
      if (changed) write(connection, changed);
      if (changed && changed.order !== task?.order) replaceOrder(connection, changed);
      return changed;
    });

  function write(connection: Connection, task: Task): void {
    updateTask(connection, task);
    ownWrites += 1;
  }

  return {
    isDurable: true,
    add: (task) =>
      database.write((connection) => {
        const key = task.order.idempotencyKey;
        const kept = key === null ? undefined : connection.get(byKey, toKey(key));
        if (kept) return taskFromRow(kept, database.path);
        insertTask(connection, task);
        ownWrites += 1;
        return task;
      }),
    get: (id) => database.read((connection) => find(connection, id)),
    list: (query) =>
      database.read((connection) => {
        const { where, values } = conditionsOf(query);
        const rows = connection.all(`${selectTask} ${where} ORDER BY tasks.id DESC LIMIT ?`, ...values, query.limit);
        return rows.map((row) => taskFromRow(row, database.path));
      }),
    count: (query) =>
      database.read((connection) => {
        const { where, values } = conditionsOf(query);
        return Number(connection.get(`SELECT count(*) AS count FROM tasks ${where}`, ...values)?.["count"]);
      }),
    update: (id, { from, owner, set, order }) =>
      changeOne(id, (task) => {
        const isExpected = from.includes(task.state) && (owner === undefined || isOwnedBy(task, owner));
        return isExpected ? { ...task, ...set, ...(order && { order }) } : undefined;
      }),
    async takeNext(agent, { limit, owner, now }) {
      const name = toKey(agent);
      const look = (connection: Connection): string | undefined => {
        const running = Number(connection.get(countRunning, name)?.["count"]);
        const next = running < limit ? connection.get(oldestQueued, name) : undefined;
        return next && String(next["id"]);
      };
      // Looked at without the write lock first: most of the time there is nothing.
      if ((await database.read(look)) === undefined) return undefined;
      return database.write((connection) => {
        const id = look(connection);
        const next = id === undefined ? undefined : find(connection, id);
        if (!next) return undefined;
        const taken: Task = { ...next, state: "running", owner, startedAt: now };
        write(connection, taken);
        return taken;
      });
    },
    queuedAgents: () =>
      database.read((connection) => connection.all(waitedFor).map(({ agent }) => fromKey(String(agent)))),
    async requestCancel(id, reason) {
      const cut = cutMiddle(reason, longestReason);
      const asked = await changeOne(id, (task) => ({ ...task, cancelReason: task.cancelReason ?? cut }));
      return asked !== undefined;
    },
    prune: (completedBefore) =>
      database.write((connection) => {
        const rows = connection.all(`${selectTask} WHERE tasks.completed_at < ?`, completedBefore);
        connection.run("DELETE FROM tasks WHERE completed_at < ?", completedBefore);
        return rows.map((row) => taskFromRow(row, database.path));
      }),
    revision: () => database.dataVersion() + ownWrites,
    close: () => database.close(),
  };
}

const byKey = `${selectTask} WHERE tasks.idempotency_key = ?`;
const countRunning = "SELECT count(*) AS count FROM tasks WHERE agent = ? AND state = 'running'";
const waitedFor = "SELECT DISTINCT agent FROM tasks WHERE state = 'queued'";
const oldestQueued = "SELECT id FROM tasks WHERE agent = ? AND state = 'queued' ORDER BY id LIMIT 1";

function conditionsOf({ states, agent, beforeId }: Omit<TaskQuery, "limit">): { where: string; values: Parameter[] } {
  const conditions: string[] = [];
  const values: Parameter[] = [];
  if (states) {
    conditions.push(`tasks.state IN (${states.map(() => "?").join(", ")})`);
    values.push(...states);
  }
  if (agent !== undefined) {
    conditions.push("tasks.agent = ?");
    values.push(toKey(agent));
  }
  if (beforeId !== undefined) {
    conditions.push("tasks.id < ?");
    values.push(beforeId);
  }
  return { where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`, values };
}
