import type { InboxEntry, InboxState, InboxStore } from "../../core/approval-inbox-port.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { toKey } from "../text-key.ts";
import type { OwnerRoll } from "./tasks/owner-heartbeats.ts";
import type { PostgresConnection, Row } from "./postgres-connection.ts";
import { damaged, isConnectionLoss } from "./postgres-error.ts";
import type { Telling } from "./tasks/notifications.ts";

export interface InboxParts {
  readonly connection: PostgresConnection;
  readonly roll: OwnerRoll;
  readonly tell: Telling;
  /** The project whose entries these are, as it is kept. */
  readonly scope: string;
}

/** The inbox in a database that any number of machines share. */
export function createPostgresInbox({ connection, roll, tell, scope }: InboxParts): InboxStore {
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
