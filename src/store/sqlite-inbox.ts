import type { InboxEntry, InboxState, InboxStore } from "../core/inbox.ts";
import { fromWire, toWire } from "../core/wire.ts";
import type { Database } from "./database.ts";

/** The inbox in the database that all stores of a process share. */
export function createSqliteInbox(database: Database): InboxStore {
  /** Our own writes do not change `data_version`, but whoever waits must see ours too. */
  let ownWrites = 0;

  return {
    async add(entry) {
      const { id, state, createdAt } = entry;
      const body = JSON.stringify(toWire(entry));
      await database.write((connection) => connection.run(insert, id, state, createdAt, body));
    },
    get: (id) =>
      database.read((connection) => {
        const row = connection.get(`${select} WHERE id = ?`, id);
        return row && entryFromRow(row);
      }),
    list: ({ states, limit }) =>
      database.read((connection) => {
        const marks = states?.map(() => "?").join(", ");
        const where = marks === undefined ? "" : `WHERE state IN (${marks})`;
        return connection
          .all(`${select} ${where} ORDER BY id DESC LIMIT ?`, ...(states ?? []), limit)
          .map(entryFromRow);
      }),
    async settle(id, settlement, at) {
      const body = JSON.stringify(toWire(settlement));
      const changed = await database.write((connection) => connection.run(update, settlement.state, at, body, id));
      ownWrites += changed;
      return changed > 0;
    },
    revision: () => database.dataVersion() + ownWrites,
  };
}

const insert = "INSERT INTO inbox (id, state, created_at, body) VALUES (?, ?, ?, ?)";
const select = "SELECT state, settled_at, body, settlement FROM inbox";
const update = "UPDATE inbox SET state = ?, settled_at = ?, settlement = ? WHERE id = ? AND state = 'waiting'";

function entryFromRow(row: Readonly<Record<string, unknown>>): InboxEntry {
  const entry = fromWire(JSON.parse(String(row["body"]))) as InboxEntry;
  const settlement = row["settlement"];
  return {
    ...entry,
    origin: entry.origin ?? null,
    state: row["state"] as InboxState,
    settledAt: row["settled_at"] === null ? null : Number(row["settled_at"]),
    settlement: typeof settlement === "string" ? (fromWire(JSON.parse(settlement)) as InboxEntry["settlement"]) : null,
  };
}
