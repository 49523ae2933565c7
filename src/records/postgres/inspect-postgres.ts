import { readMigrations } from "../sqlite/migrate-database.ts";
import { readPostgresVersion } from "./migrate-postgres.ts";
import { toKey } from "../store-rules.ts";
import { openPostgresConnection } from "./postgres-connection.ts";
import { unassignedScope } from "./tasks/store-parts.ts";
import { usualWorkerTimes } from "./tasks/worker-registry.ts";

export interface SharedStoreState {
  /** The address as it may be shown. */
  readonly name: string;
  /** 0: there is nothing yet. */
  readonly version: number;
  readonly newestVersion: number;
  /** Of this project, as the next two. */
  readonly workers: number;
  readonly queuedTasks: number;
  readonly waiting: number;
  /** Of an older Deckhand, which did not record the project. */
  readonly unassignedTasks: number;
}

/** Looks without changing anything. Rejects with a RuntimeError when the database can't be used. */
export async function inspectPostgres(address: string, scope: string): Promise<SharedStoreState> {
  const connection = openPostgresConnection(address);
  try {
    const newestVersion = readMigrations(new URL("./postgres-migrations/", import.meta.url)).length;
    const version = await readPostgresVersion(connection.query, connection.name, newestVersion);
    // What an older version has not yet is not asked for.
    const [row] =
      version < newestVersion ? [] : await connection.query(countAll, [usualWorkerTimes.silentMs, toKey(scope)]);
    const count = (what: string): number => Number(row?.[what] ?? 0);
    return {
      name: connection.name,
      version,
      newestVersion,
      workers: count("workers"),
      queuedTasks: count("queued"),
      waiting: count("waiting"),
      unassignedTasks: count("unassigned"),
    };
  } finally {
    await connection.close();
  }
}

const countAll = `
  SELECT (SELECT count(*) FROM deckhand.workers WHERE scope = $2 AND seen_at > now() - $1 * interval '1 ms') AS workers,
    (SELECT count(*) FROM deckhand.tasks WHERE scope = $2 AND state = 'queued') AS queued,
    (SELECT count(*) FROM deckhand.tasks WHERE scope = '${unassignedScope}') AS unassigned,
    (SELECT count(*) FROM deckhand.inbox WHERE scope = $2 AND state = 'waiting') AS waiting`;
