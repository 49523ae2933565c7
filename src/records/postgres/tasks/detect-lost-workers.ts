import { toKey } from "../../store-rules.ts";
import type { Task } from "../../../core/task.ts";
import type { Query } from "../postgres-connection.ts";
import { beginExpiry } from "./find-tasks.ts";
import { repairTokens } from "./dispatch.ts";
import type { StoreParts } from "./store-parts.ts";
import { taskFromColumns } from "./task-columns.ts";
import type { WorkerTimes } from "./worker-registry.ts";

/** How often a task is started that may be started again. */
const mostAttempts = 3;

/**
 * One look at who is silent, for all machines of a project: whoever comes first does it, the others see that it was done. The times are
 * all the database's. What passed since a look that is long ago counts for little: it may have been away, and then nobody could be heard. Still it
 * counts, so that whoever is dead is found out by looks that are far apart.
 */
export async function patrol(
  parts: StoreParts,
  { now, times }: { readonly now: number; readonly times: WorkerTimes },
): Promise<Task[]> {
  const { connection, scope } = parts;
  let isDone = false;
  const lost = await connection.transaction(async (query) => {
    const [last] = await query(lastLook, [scope]);
    const agoMs = Number(last?.["ago_ms"]);
    if (!last || agoMs < times.beatMs / 2) return [];
    await query("UPDATE deckhand.patrol SET looked_at = now() WHERE scope = $1", [scope]);
    isDone = true;
    if (agoMs > times.silentMs) await shorten(query, { agoMs, times, scope });
    await query(leave, [times.silentMs, scope]);
    const overdue = await query(findOverdue, [times.lostMs, scope]);
    const ended: Task[] = [];
    for (const row of overdue) {
      const task = taskFromColumns(row, connection.name);
      const pinnedTo = row["pinned_to"] as string | null;
      const lostOne = await end(parts, query, { task, machine: String(row["machine_id"]), pinnedTo, now });
      if (lostOne) ended.push(lostOne);
    }
    await query("DELETE FROM deckhand.workers WHERE seen_at < now() - interval '1 hour'");
    await query("DELETE FROM deckhand.output_requests WHERE asked_at < now() - interval '5 minutes'");
    return ended;
  });
  if (isDone) await repairTokens(parts);
  return lost;
}

/** As if the last look had been only as long ago as it counts: half a beat to become silent, a third of the time to be lost. */
async function shorten(query: Query, { agoMs, times, scope }: Shortening): Promise<void> {
  const { beatMs, silentMs, lostMs } = times;
  await query(shortenSilence, [agoMs, beatMs / 2, lostMs / 3, silentMs, scope]);
  await query(shortenAbsence, [agoMs, lostMs / 3, scope]);
}

interface Shortening {
  readonly agoMs: number;
  readonly times: WorkerTimes;
  readonly scope: string;
}

interface Overdue {
  readonly task: Task;
  readonly machine: string;
  readonly pinnedTo: string | null;
  readonly now: number;
}

/** Undefined: it waits for another worker now. */
async function end(
  { connection, dispatch, news }: StoreParts,
  query: Query,
  { task, machine, pinnedTo, now }: Overdue,
): Promise<Task | undefined> {
  const { order, attempt, cancelReason } = task;
  if (order.isIdempotent && attempt < mostAttempts && cancelReason === null) {
    await (await dispatch.open({ agent: order.agent, pinnedTo })).announce();
    await query(queueAgainSql(news), [task.id]);
    return undefined;
  }
  const error = `Lost: nobody on the machine "${machine}", which ran it, has been heard of for too long. What it printed is there, in ${task.folder}, and its session can be resumed if it has one.`;
  const [row] = await query(loseSql(news), [task.id, toKey(error), now]);
  return row && taskFromColumns(row, connection.name);
}

const lastLook = `
  SELECT extract(epoch FROM now() - looked_at) * 1000 AS ago_ms FROM deckhand.patrol
  WHERE scope = $1 FOR UPDATE SKIP LOCKED`;

/** When this was, if of the time since the last look only so much counts. */
const shortened = (column: string, mostMs: string): string =>
  `${column} + greatest(interval '0', now() - greatest(${column}, now() - $1 * interval '1 ms') - (${mostMs}) * interval '1 ms')`;

const shortenSilence = `
  UPDATE deckhand.workers SET seen_at = ${shortened(
    "seen_at",
    "CASE WHEN seen_at < now() - ($1 + $4) * interval '1 ms' THEN $3::float8 ELSE $2 END",
  )} WHERE scope = $5`;

const shortenAbsence = `
  UPDATE deckhand.tasks SET left_at = ${shortened("left_at", "$2")}
  WHERE scope = $3 AND state = 'running' AND left_at IS NOT NULL`;

const leave = `
  UPDATE deckhand.tasks SET owner = NULL, worker_id = NULL, left_at = now(), fence = fence + 1
  WHERE scope = $2 AND state = 'running' AND left_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM deckhand.workers WHERE workers.id = tasks.worker_id AND seen_at > now() - $1 * interval '1 ms')`;

const findOverdue = `
  SELECT * FROM deckhand.tasks WHERE scope = $2 AND state = 'running' AND left_at < now() - $1 * interval '1 ms'
  ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED`;

const queueAgainSql = (news: string): string => `
  UPDATE deckhand.tasks SET state = 'queued', attempt = attempt + 1, started_at = NULL, process = NULL, owner = NULL,
    machine_id = NULL, worker_id = NULL, left_at = NULL, fence = fence + 1
  WHERE id = $1 RETURNING ${news}`;

const loseSql = (news: string): string => `
  UPDATE deckhand.tasks SET state = 'lost', error = $2, completed_at = $3, owner = NULL, worker_id = NULL, left_at = NULL,
    fence = fence + 1, ${beginExpiry}
  WHERE id = $1 RETURNING *, ${news}`;
