import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { Task, TaskOrder } from "../../core/task.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { Connection, Parameter, Row } from "./sqlite-connection.ts";
import { damaged } from "../store-error.ts";
import { toKey } from "../text-key.ts";

export const selectTask = `
  SELECT tasks.id, tasks.body, task_orders.body AS order_body
  FROM tasks JOIN task_orders ON task_orders.task_id = tasks.id`;

export function insertTask(connection: Connection, task: Task): void {
  const { agent, idempotencyKey } = task.order;
  const key = idempotencyKey === null ? null : toKey(idempotencyKey);
  connection.run(insert, task.id, toKey(agent), key, ...changingColumns(task));
  connection.run("INSERT INTO task_orders (task_id, body) VALUES (?, ?)", task.id, JSON.stringify(toWire(task.order)));
}

/** Without secrets, once the task has ended. */
export function replaceOrder(connection: Connection, { id, order }: Task): void {
  connection.run("UPDATE task_orders SET body = ? WHERE task_id = ?", JSON.stringify(toWire(order)), id);
}

/** Everything but the order. */
export function updateTask(connection: Connection, task: Task): void {
  connection.run(update, ...changingColumns(task), task.id);
}

export function taskFromRow(row: Row, path: string): Task {
  try {
    const order = fromWire(JSON.parse(String(row["order_body"]))) as TaskOrder;
    return { ...(fromWire(JSON.parse(String(row["body"]))) as Omit<Task, "order">), order };
  } catch (thrown) {
    throw damaged(path, `the task ${String(row["id"])} can't be read`, { cause: thrown });
  }
}

export function isOwnedBy({ owner }: Task, other: ProcessIdentity | null): boolean {
  return owner?.pid === other?.pid && owner?.startTime === other?.startTime && owner?.bootId === other?.bootId;
}

const insert = `
  INSERT INTO tasks (id, agent, idempotency_key, state, completed_at, body)
  VALUES (?, ?, ?, ?, ?, ?)`;

const update = "UPDATE tasks SET state = ?, completed_at = ?, body = ? WHERE id = ?";

function changingColumns(task: Task): Parameter[] {
  return [task.state, task.completedAt, JSON.stringify(toWire({ ...task, order: undefined }))];
}
