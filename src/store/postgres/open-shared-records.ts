import type { Clock } from "../../core/clock.ts";
import type { InboxStore } from "../../core/inbox.ts";
import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { ScheduleStore } from "../../core/schedule-store.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { openOwnerRoll, usualOwnerTimes, type OwnerTimes } from "./owner-roll.ts";
import { openPostgresConnection, type PostgresConnection } from "./postgres-connection.ts";
import { createPostgresInbox } from "./postgres-inbox.ts";
import { createPostgresScheduleStore } from "./postgres-schedule-store.ts";
import { openTelling } from "./telling.ts";

export interface SharedRecordsOptions {
  /** `postgres://user:password@host/database`, with TLS as its `sslmode` says. */
  readonly address: string;
  readonly clock: Clock;
  /** This process. */
  readonly identity: ProcessIdentity;
  /** For processes of this machine, which can be looked at. */
  readonly isAliveHere: (owner: ProcessIdentity) => boolean;
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
  const roll = await openOwnerRoll(connection, { clock, times, identity, isAliveHere });
  const tell = openTelling(connection, clock);

  async function close(): Promise<void> {
    await tell.close();
    await roll.close();
    await connection.close();
  }

  let closing: Promise<void> | undefined;
  return {
    schedule: createPostgresScheduleStore({ connection, roll, tell, unsure: new Map() }),
    inbox: createPostgresInbox({ connection, roll, tell }),
    close: () => (closing ??= close()),
  };
}
