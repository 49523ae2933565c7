import { codeOf } from "../../../core/errors.ts";
import type { Task, TaskStore } from "../../../core/task.ts";
import { toKey } from "../../store-rules.ts";
import type { Row } from "../postgres-connection.ts";
import { isConnectionLoss } from "../postgres-error.ts";
import { toTask, type Holdings, type StoreParts } from "./store-parts.ts";
import { keepOwner, readColumns } from "./task-columns.ts";

type TakeOrder = Parameters<TaskStore["takeNext"]>[1];

const mostTries = 100;

/** The limit is this machine's: every machine has as many programs as it can bear. */
export async function takeTask(parts: StoreParts, agent: string, order: TakeOrder): Promise<Task | undefined> {
  const { connection, dispatch, scope, worker } = parts;
  if (!worker) return undefined;
  // Looked at first: most of the time there is nothing, or no room.
  const [next] = await connection.query(findNext, [toKey(agent), worker.machineId, order.limit, scope], "next_task");
  if (!next) return undefined;
  const pinnedTo = next["pinned_to"] as string | null;
  const tokens = await dispatch.open({ agent, pinnedTo });
  if (!(await tokens.take())) return undefined;
  const { machineId, workerId, folder } = worker;
  const { owner, now, limit } = order;
  const values = [toKey(agent), keepOwner(owner), machineId, workerId, now, toKey(folder), pinnedTo, limit, scope];
  const row = await inTurn(parts.holdings, agent, () => takeOldest(parts, values));
  if (!row) {
    // Somebody was quicker, or it was cancelled; whether another one waits is not known here.
    await tokens.announce();
    return undefined;
  }
  parts.holdings.ids.add(String(row["id"]));
  parts.tell();
  return toTask(parts, row);
}

/** A running task has one of as many places as its machine has for its agent, so two that take at once can't be one too many. */
async function takeOldest({ connection, holdings }: StoreParts, values: readonly unknown[]): Promise<Row | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await connection.query(take, values, "take_task"))[0];
    } catch (thrown) {
      if (isConnectionLoss(thrown)) holdings.isUnsure = true;
      const isTaken = codeOf((thrown as Error).cause) === uniqueViolation;
      if (!isTaken || tries === mostTries) throw thrown;
    }
  }
}

/** One after the other for each agent: they would only get in each other's way. */
function inTurn<Result>({ taking }: Holdings, agent: string, work: () => Promise<Result>): Promise<Result> {
  const turn = (taking.get(agent) ?? Promise.resolve()).then(work);
  const ended = turn.then(ignore, ignore);
  taking.set(agent, ended);
  void ended.then(() => {
    if (taking.get(agent) === ended) taking.delete(agent);
  });
  return turn;
}

function ignore(): void {}

const uniqueViolation = "23505";

const countRunning =
  "SELECT count(*) AS count FROM deckhand.tasks WHERE agent = $1 AND state = 'running' AND (machine_id, scope)";

const findNext = `
  SELECT pinned_to FROM deckhand.tasks
  WHERE scope = $4 AND agent = $1 AND state = 'queued' AND (pinned_to IS NULL OR pinned_to = $2)
    AND (${countRunning} = ($2, $4)) < $3 ORDER BY created_at, id LIMIT 1`;

const usedPlaces =
  "SELECT place FROM deckhand.tasks WHERE scope = $9 AND machine_id = $3 AND agent = $1 AND state = 'running'";

const take = `
  UPDATE deckhand.tasks SET state = 'running', owner = $2, machine_id = $3, worker_id = $4, started_at = $5,
    folder = $6 || '/' || id, left_at = NULL, fence = fence + 1, place = free.place
  FROM (
    SELECT min(used.place) + 1 AS place FROM (SELECT 0 AS place UNION ALL ${usedPlaces}) AS used
    WHERE NOT EXISTS (${usedPlaces} AND place = used.place + 1)
  ) AS free
  WHERE (${countRunning} = ($3, $9)) < $8 AND id = (
    SELECT id FROM deckhand.tasks WHERE scope = $9 AND agent = $1 AND state = 'queued' AND coalesce(pinned_to, '') = coalesce($7, '')
    ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING ${readColumns(undefined)}`;
