import type { Task, TaskOrder } from "../../../core/task.ts";
import { toKey } from "../../text-key.ts";
import { isConnectionLoss } from "../postgres-error.ts";
import { longestKeepMs } from "./prune-tasks.ts";
import { toTask, type StoreParts } from "./store-parts.ts";
import { allColumns } from "./task-columns.ts";

/** Its id makes a second try harmless: one that was kept, without our hearing so, is found again. */
export async function addTask(parts: StoreParts, task: Task): Promise<Task> {
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
