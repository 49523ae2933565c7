import type { InboxEntry, InboxState, InboxStore } from "../../core/inbox.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { toKey } from "../text-key.ts";
import type { OwnerRoll } from "./owner-roll.ts";
import type { PostgresConnection, Row } from "./postgres-connection.ts";
import { damaged, isConnectionLoss } from "./postgres-error.ts";
import type { Telling } from "./telling.ts";

export interface InboxParts {
  readonly connection: PostgresConnection;
  readonly roll: OwnerRoll;
  readonly tell: Telling;
}

/** The inbox in a database that any number of machines share. */
export function createPostgresInbox({ connection, roll, tell }: InboxParts): InboxStore {
  const { query, name } = connection;

  async function insert({ id, state, createdAt, ...rest }: InboxEntry): Promise<void> {
    const body = JSON.stringify(toWire({ id, state, createdAt, ...rest }));
    await query(insertSql(tell.sql("inbox")), [toKey(id), state, createdAt, body]);
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
      const [row] = await query(`${select} WHERE id = $1`, [toKey(id)]);
      return row && entryFromRow(row, name);
    },
    async list({ states, limit }) {
      const rows = states
        ? await query(`${select} WHERE state = ANY($2) ORDER BY id DESC LIMIT $1`, [limit, states])
        : await query(`${select} ORDER BY id DESC LIMIT $1`, [limit]);
      return rows.map((row) => entryFromRow(row, name));
    },
    async settle(id, settlement, at) {
      const values = [toKey(id), settlement.state, at, JSON.stringify(toWire(settlement))];
      const [row] = await query(settleSql(tell.sql("inbox")), values);
      tell.here("inbox");
      return row !== undefined;
    },
    revision: () => tell.revision("inbox"),
  };
}

/** Its id makes a second try harmless. */
const insertSql = (told: string): string => `
  INSERT INTO deckhand.inbox (id, state, created_at, body) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING RETURNING ${told}`;

const select = "SELECT id, state, settled_at, body, settlement FROM deckhand.inbox";

const settleSql = (told: string): string => `
  UPDATE deckhand.inbox SET state = $2, settled_at = $3, settlement = $4 WHERE id = $1 AND state = 'waiting'
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
