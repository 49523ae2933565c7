import { toWire } from "../../../core/wire.ts";
import type { Task, TaskChange, TaskOrder, TaskRun } from "../../../core/task.ts";
import { cutMiddle } from "../../../core/text.ts";
import { fromKey, toKey } from "../../store-rules.ts";
import type { Query, Row } from "../postgres-connection.ts";
import { isConnectionLoss } from "../postgres-error.ts";
import { beginExpiry } from "./find-tasks.ts";
import { toTask, type StoreParts } from "./store-parts.ts";
import { changedColumns, keepOwner, readColumns, type NamedValue } from "./task-columns.ts";

const longestReason = 10_000;

interface Change {
  readonly id: string;
  readonly change: TaskChange;
}

/** What this process wanted to write when the connection broke: it may be there. */
export type Unsure = Map<string, readonly NamedValue[]>;

/**
 * One statement, and for a task that waits again one token more. Only a worker can become an owner, and only of what its own machine
 * has started: nobody else could look at its process.
 */
export async function changeTask(parts: StoreParts, unsure: Unsure, { id, change }: Change): Promise<Task | undefined> {
  const order = parts.orders.get(id);
  const statement = updateStatement(parts, { id, change, order });
  if (!statement) return undefined;
  try {
    const row =
      change.set.state === "queued" ? await queue(parts, id, statement) : await run(parts.connection.query, statement);
    if (change.set.state !== undefined) parts.tell();
    const found = row ?? (await recognize(parts, unsure, id));
    unsure.delete(id);
    if (found) noteOwner(parts, id, change.set);
    if (found && change.order) parts.orders.keep(id, change.order);
    return found && toTask(parts, found, change.order ?? order);
  } catch (thrown) {
    if (isConnectionLoss(thrown)) unsure.set(id, changedColumns(change.set));
    throw thrown;
  }
}

function noteOwner({ holdings }: StoreParts, id: string, { state, owner }: TaskChange["set"]): void {
  if (state !== undefined || owner === null) holdings.ids.delete(id);
  else if (owner) holdings.ids.add(id);
}

export async function requestCancel(parts: StoreParts, id: string, reason: string): Promise<boolean> {
  const { connection, news, scope } = parts;
  const values = [toKey(id), toKey(cutMiddle(reason, longestReason)), scope];
  const [row] = await connection.query(cancelSql(news), values);
  parts.tell();
  return row !== undefined;
}

export async function amendLost(
  parts: StoreParts,
  { id, attempt }: TaskRun,
  set: TaskChange["set"],
): Promise<Task | undefined> {
  const { connection, scope, worker, news } = parts;
  if (!worker) return undefined;
  const values: unknown[] = [toKey(id), scope, worker.machineId, attempt];
  const assignments = changedColumns(set).map(({ name, value }) => `${name} = $${values.push(value)}`);
  const [row] = await connection.query(
    `UPDATE deckhand.tasks SET ${[...assignments, beginExpiry].join(", ")}
    WHERE id = $1 AND scope = $2 AND machine_id = $3 AND attempt = $4 AND state = 'lost' AND NOT is_late
    RETURNING ${readColumns(undefined)}, ${news}`,
    values,
  );
  parts.tell();
  return row && toTask(parts, row);
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Undefined: it can't be. */
function updateStatement(
  { worker, scope, news }: StoreParts,
  { id, change: { from, owner, set, order: kept }, order }: Change & { readonly order: TaskOrder | undefined },
): Statement | undefined {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const assignments = changedColumns(set).map(({ name, value }) => `${name} = ${place(value)}`);
  const conditions = [
    `id = ${place(toKey(id))}`,
    `scope = ${place(scope)}`,
    `state = ANY(${place(from)})`,
    "state IN ('queued', 'running')",
  ];
  if (owner !== undefined) conditions.push(`owner IS NOT DISTINCT FROM ${place(keepOwner(owner))}`);
  if (set.owner) {
    if (!worker) return undefined;
    conditions.push(`machine_id = ${place(worker.machineId)}`);
    assignments.push(`worker_id = ${place(worker.workerId)}`, "left_at = NULL", "fence = fence + 1");
  } else if (set.owner === null) {
    assignments.push("worker_id = NULL", "left_at = now()", "fence = fence + 1");
  }
  if (set.state === "queued") assignments.push("machine_id = NULL");
  if (typeof set.completedAt === "number") assignments.push(beginExpiry);
  if (kept) assignments.push(`body = ${place(JSON.stringify(toWire(kept)))}`);
  const told = set.state === undefined ? "" : `, ${news}`;
  const text = `UPDATE deckhand.tasks SET ${assignments.join(", ")} WHERE ${conditions.join(" AND ")} RETURNING ${readColumns(order)}${told}`;
  return { text, values };
}

async function run(query: Query, { text, values }: Statement): Promise<Row | undefined> {
  return (await query(text, values))[0];
}

async function queue(parts: StoreParts, id: string, statement: Statement): Promise<Row | undefined> {
  const { connection, dispatch, scope } = parts;
  const find = "SELECT agent, pinned_to FROM deckhand.tasks WHERE id = $1 AND scope = $2";
  const [task] = await connection.query(find, [toKey(id), scope]);
  if (!task) return undefined;
  const pinnedTo = task["pinned_to"] as string | null;
  await (await dispatch.open({ agent: fromKey(String(task["agent"])), pinnedTo })).announce();
  return run(connection.query, statement);
}

/** The row, when it is as we wanted it before the connection broke. */
async function recognize({ connection, scope }: StoreParts, unsure: Unsure, id: string): Promise<Row | undefined> {
  const wanted = unsure.get(id);
  if (!wanted) return undefined;
  const find = "SELECT * FROM deckhand.tasks WHERE id = $1 AND scope = $2";
  const [row] = await connection.query(find, [toKey(id), scope]);
  return row && wanted.every(({ name, value }) => row[name] === value) ? row : undefined;
}

const cancelSql = (news: string): string => `
  UPDATE deckhand.tasks SET cancel_reason = COALESCE(cancel_reason, $2)
  WHERE id = $1 AND scope = $3 AND state IN ('queued', 'running') RETURNING ${news}`;
