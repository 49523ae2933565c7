import type { WorkerAgents } from "../../../core/shared-tasks.ts";
import type { Task } from "../../../core/task.ts";
import { fromKey, toKey } from "../../text-key.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import type { WorkerTimes } from "./worker-times.ts";

/** The workers of one project; those of others can't take its tasks. */
interface WorkersParts {
  readonly connection: PostgresConnection;
  readonly scope: string;
  readonly times: WorkerTimes;
}

/** Why no worker that lives can take tasks of this agent; undefined: one can, or there is none to judge by. */
export async function explainLack(
  { connection, scope, times }: WorkersParts,
  agent: string,
): Promise<string | undefined> {
  const [row] = await connection.query(countWorkers, [toKey(agent), times.lostMs, scope]);
  if (Number(row?.["live"]) === 0 || Number(row?.["able"]) > 0) return undefined;
  const agents = (row?.["agents"] as readonly string[] | null) ?? [];
  const have = agents.length === 0 ? "none" : agents.map(fromKey).join(", ");
  return `No worker has the agent "${agent}" (available: ${have}). Install it on a worker's machine and restart that worker, or start another worker.`;
}

export async function listAgents({ connection, scope, times }: WorkersParts): Promise<WorkerAgents> {
  const [row] = await connection.query(findAgents, [times.lostMs, scope]);
  const names = ((row?.["names"] as readonly string[] | null) ?? []).map(fromKey);
  return { names, isWhole: row?.["is_whole"] !== false };
}

/** Of these tasks, what those wait for that no worker can take now. */
export async function explainWaits(
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
