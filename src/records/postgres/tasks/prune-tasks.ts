import type { Task } from "../../../core/task.ts";
import { toTask, type StoreParts } from "./store-parts.ts";

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
