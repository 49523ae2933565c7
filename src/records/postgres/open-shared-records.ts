import type { Clock } from "../../core/clock.ts";
import type { InboxStore } from "../../core/approval-inbox-port.ts";
import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { ScheduleStore } from "../../core/schedule-store.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { openOwnerRoll, usualOwnerTimes, type OwnerTimes } from "./tasks/owner-heartbeats.ts";
import { openPostgresConnection, type PostgresConnection } from "./postgres-connection.ts";
import { createPostgresInbox } from "./postgres-approvals.ts";
import { createPostgresScheduleStore } from "./schedule/postgres-schedule-store.ts";
import { openTelling } from "./tasks/notifications.ts";
import { toKey } from "../text-key.ts";

export interface SharedRecordsOptions {
  /** `postgres://user:password@host/database`, with TLS as its `sslmode` says. */
  readonly address: string;
  readonly clock: Clock;
  /** This process. */
  readonly identity: ProcessIdentity;
  /** For processes of this machine, which can be looked at. */
  readonly isAliveHere: (owner: ProcessIdentity) => boolean;
  /** The project whose jobs, runs and inbox are seen. */
  readonly scope: string;
  readonly times?: OwnerTimes;
}

/** What several machines share besides tasks: jobs with their runs, and the inbox. */
export interface SharedRecords {
  readonly schedule: ScheduleStore;
  readonly inbox: InboxStore;
  close(): Promise<void>;
}

/** Rejects with a RuntimeError when the database can't be used. */
export async function openSharedRecords(options: SharedRecordsOptions): Promise<SharedRecords> {
  const connection = openPostgresConnection(options.address);
  try {
    await migratePostgres(connection);
    return await openStores(connection, options);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

async function openStores(connection: PostgresConnection, options: SharedRecordsOptions): Promise<SharedRecords> {
  const { clock, times = usualOwnerTimes, identity, isAliveHere } = options;
  const scope = toKey(options.scope);
  await connection.query(takeUnscoped, [scope]);
  const roll = await openOwnerRoll(connection, { clock, times, identity, isAliveHere });
  const tell = openTelling(connection, clock);

  async function close(): Promise<void> {
    await tell.close();
    await roll.close();
    await connection.close();
  }

  let closing: Promise<void> | undefined;
  return {
    schedule: createPostgresScheduleStore({ connection, roll, tell, scope, unsure: new Map() }),
    inbox: createPostgresInbox({ connection, roll, tell, scope }),
    close: () => (closing ??= close()),
  };
}

/** What an older Deckhand left, which knew no scopes; one whose name this project has stays nobody's. */
const takeUnscoped = `
  WITH taken AS (
    UPDATE deckhand.jobs SET scope = $1 WHERE scope IS NULL
      AND NOT EXISTS (SELECT 1 FROM deckhand.jobs AS own WHERE own.scope = $1 AND own.name = jobs.name))
  UPDATE deckhand.runs SET scope = coalesce((SELECT jobs.scope FROM deckhand.jobs WHERE jobs.id = runs.job_id), $1)
  WHERE scope IS NULL`;
