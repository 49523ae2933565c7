import type { InboxEntry, InboxState, InboxStore } from "../../core/approval.ts";
import type { Clock } from "../../core/clock.ts";
import type { ScheduleStore } from "../../core/job.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { toKey } from "../store-rules.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { openPostgresConnection, type PostgresConnection, type Row } from "./postgres-connection.ts";
import { damaged, isConnectionLoss } from "./postgres-error.ts";
import { createPostgresScheduleStore } from "./schedule/postgres-schedule-store.ts";
import { openOwnerRoll, type OwnerRoll, type OwnerTimes, usualOwnerTimes } from "./tasks/owner-heartbeats.ts";
import { openTelling, type Telling } from "./tasks/store-parts.ts";

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

export interface InboxParts {
  readonly connection: PostgresConnection;
  readonly roll: OwnerRoll;
  readonly tell: Telling;
  /** The project whose entries these are, as it is kept. */
  readonly scope: string;
}

/** The inbox in a database that any number of machines share. */
function createPostgresInbox({ connection, roll, tell, scope }: InboxParts): InboxStore {
  const { query, name } = connection;

  async function insert({ id, state, createdAt, ...rest }: InboxEntry): Promise<void> {
    const body = JSON.stringify(toWire({ id, state, createdAt, ...rest }));
    await query(insertSql(tell.sql("inbox")), [toKey(id), state, createdAt, body, scope]);
    tell.here("inbox");
  }

  return {
    shared: { isAlive: (owner) => roll.isAlive(owner) },
    async add(entry) {
      if (entry.owner) await roll.enter();
      try {
        await insert(entry);
      } catch (thrown) {
        if (!isConnectionLoss(thrown)) throw thrown;
        await insert(entry);
      }
    },
    async get(id) {
      const [row] = await query(`${select} WHERE id = $1 AND scope = $2`, [toKey(id), scope]);
      return row && entryFromRow(row, name);
    },
    async list({ states, limit, beforeId }) {
      const values: unknown[] = [limit, scope];
      const conditions = ["scope = $2"];
      if (states) conditions.push(`state = ANY($${values.push(states)})`);
      if (beforeId !== undefined) conditions.push(`id < $${values.push(toKey(beforeId))}`);
      const rows = await query(`${select} WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT $1`, values);
      return rows.map((row) => entryFromRow(row, name));
    },
    async settle(id, settlement, at) {
      const values = [toKey(id), settlement.state, at, JSON.stringify(toWire(settlement)), scope];
      const [row] = await query(settleSql(tell.sql("inbox")), values);
      tell.here("inbox");
      return row !== undefined;
    },
    revision: () => tell.revision("inbox"),
    async countPrunable(settledBefore) {
      const [row] = await query(countSettledSql, [settledBefore, scope]);
      return Number(row?.["count"]);
    },
    async prune(settledBefore) {
      const [row] = await query(pruneSql, [settledBefore, scope]);
      return Number(row?.["count"]);
    },
  };
}

/** Its id makes a second try harmless. */
const insertSql = (told: string): string => `
  INSERT INTO deckhand.inbox (id, state, created_at, body, scope) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING RETURNING ${told}`;

const select = "SELECT id, state, settled_at, body, settlement FROM deckhand.inbox";

const countSettledSql = "SELECT count(*) AS count FROM deckhand.inbox WHERE scope = $2 AND settled_at < $1";

/** Whoever else prunes at the same time has what is locked already. */
const pruneSql = `
  WITH old AS (SELECT id FROM deckhand.inbox WHERE scope = $2 AND settled_at < $1 FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM deckhand.inbox WHERE id IN (SELECT id FROM old) RETURNING 1)
  SELECT count(*) AS count FROM gone`;

const settleSql = (told: string): string => `
  UPDATE deckhand.inbox SET state = $2, settled_at = $3, settlement = $4 WHERE id = $1 AND scope = $5 AND state = 'waiting'
  RETURNING ${told}`;

function entryFromRow(row: Row, store: string): InboxEntry {
  const settlement = row["settlement"];
  try {
    const entry = fromWire(JSON.parse(String(row["body"]))) as InboxEntry;
    return {
      ...entry,
      origin: entry.origin ?? null,
      state: row["state"] as InboxState,
      settledAt: row["settled_at"] as number | null,
      settlement:
        typeof settlement === "string" ? (fromWire(JSON.parse(settlement)) as InboxEntry["settlement"]) : null,
    };
  } catch (thrown) {
    throw damaged(store, `the entry ${String(row["id"])} of the inbox can't be read`, { cause: thrown });
  }
}
