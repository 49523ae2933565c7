import type { FoundRun, Task, TaskQuery, TaskRun } from "../../../core/task.ts";
import { fromKey, toKey } from "../../store-rules.ts";
import { toTask, type StoreParts } from "./store-parts.ts";
import { readColumns } from "./task-columns.ts";

const mostHere = 10_000;

export async function findTask(parts: StoreParts, id: string): Promise<Task | undefined> {
  const order = parts.orders.get(id);
  const statement = `SELECT ${readColumns(order)} FROM deckhand.tasks WHERE id = $1 AND scope = $2`;
  const [row] = await parts.connection.query(statement, [toKey(id), parts.scope]);
  return row && toTask(parts, row, order);
}

export async function listTasks(parts: StoreParts, query: TaskQuery): Promise<Task[]> {
  const { where, values } = conditionsOf(parts, query);
  const rows = await parts.connection.query(
    `SELECT * FROM deckhand.tasks ${where} ORDER BY id DESC LIMIT $${values.length + 1}`,
    [...values, query.limit],
  );
  return rows.map((row) => toTask(parts, row));
}

export async function countTasks(parts: StoreParts, query: Omit<TaskQuery, "limit" | "beforeId">): Promise<number> {
  const { where, values } = conditionsOf(parts, query);
  const [row] = await parts.connection.query(`SELECT count(*) AS count FROM deckhand.tasks ${where}`, values);
  return Number(row?.["count"]);
}

export async function listQueuedAgents({ connection, scope }: StoreParts): Promise<string[]> {
  const statement = "SELECT DISTINCT agent FROM deckhand.tasks WHERE scope = $1 AND state = 'queued'";
  const rows = await connection.query(statement, [scope]);
  return rows.map(({ agent }) => fromKey(String(agent)));
}

export async function listHere(parts: StoreParts): Promise<Task[]> {
  if (!parts.worker) return [];
  if (parts.holdings.isUnsure) await letGo(parts, parts.worker.workerId);
  const rows = await parts.connection.query(
    `SELECT * FROM deckhand.tasks WHERE scope = $2 AND state = 'running' AND machine_id = $1 ORDER BY id LIMIT ${mostHere}`,
    [parts.worker.machineId, parts.scope],
  );
  return rows.map((row) => toTask(parts, row));
}

/** Nobody here knows that it was taken, so nobody would ever look at it. */
async function letGo({ connection, holdings }: StoreParts, workerId: string): Promise<void> {
  await connection.query(
    `UPDATE deckhand.tasks SET owner = NULL, worker_id = NULL, left_at = now(), fence = fence + 1
    WHERE state = 'running' AND worker_id = $1 AND id <> ALL($2)`,
    [workerId, [...holdings.ids]],
  );
  holdings.isUnsure = false;
}

/** By their ids alone: what lies in this folder is this project's own, also what it started under another name. */
export async function findRuns({ connection, worker }: StoreParts, runs: readonly TaskRun[]): Promise<FoundRun[]> {
  if (!worker || runs.length === 0) return [];
  const statement = "SELECT id, state, machine_id, attempt, is_late FROM deckhand.tasks WHERE id = ANY($1)";
  const rows = await connection.query(statement, [runs.map(({ id }) => id)]);
  const byId = new Map(rows.map((row) => [String(row["id"]), row]));
  return runs.flatMap(({ id, attempt }) => {
    const row = byId.get(id);
    if (!row) return [];
    const { state } = row;
    const isHere = row["machine_id"] === worker.machineId && row["attempt"] === attempt && row["is_late"] === false;
    return [{ id, attempt, standing: isHere && (state === "running" || state === "lost") ? state : "over" }];
  });
}

function conditionsOf(
  { scope }: StoreParts,
  { states, agent, beforeId }: Omit<TaskQuery, "limit">,
): { where: string; values: unknown[] } {
  const conditions = ["scope = $1"];
  const values: unknown[] = [scope];
  const add = (condition: string, value: unknown): void => {
    values.push(value);
    conditions.push(condition.replace("?", `$${values.length}`));
  };
  if (states) add("state = ANY(?)", states);
  if (agent !== undefined) add("agent = ?", toKey(agent));
  if (beforeId !== undefined) add("id < ?", toKey(beforeId));
  return { where: `WHERE ${conditions.join(" AND ")}`, values };
}

/** In every statement that brings a task to its end. */
export const beginExpiry = "expires_at = now() + keep_ms * interval '1 ms'";

/** More than a century is for ever, and what PostgreSQL can't add to a time is no longer than that. */
export const longestKeepMs = 100 * 365 * 86_400_000;

export async function findExpired(
  { connection, scope }: StoreParts,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await connection.query(
    "SELECT id FROM deckhand.tasks WHERE id = ANY($1) AND scope = $2 AND expires_at < now() AND completed_at IS NOT NULL",
    [ids, scope],
  );
  return new Set(rows.map(({ id }) => String(id)));
}

/** Every task goes when its own time is over, whichever process notices; those of other projects are not given. */
export async function pruneExpired(parts: StoreParts): Promise<Task[]> {
  const { query } = parts.connection;
  // What an older version has ended: its time begins now.
  await query(`UPDATE deckhand.tasks SET ${beginExpiry} WHERE expires_at IS NULL AND completed_at IS NOT NULL`);
  const rows = await query(
    "DELETE FROM deckhand.tasks WHERE expires_at < now() AND state NOT IN ('queued', 'running') RETURNING *",
  );
  return rows.filter((row) => row["scope"] === parts.scope).map((row) => toTask(parts, row));
}
