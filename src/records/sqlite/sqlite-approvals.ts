import type { InboxEntry, InboxState, InboxStore } from "../../core/approval.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { Database } from "./database.ts";

/** How many rows are removed before the event loop, and other processes, get their turn. */
const stepRows = 200;
/** Sorts after every id. */
const endOfIds = "\u{10ffff}";

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
    list: ({ states, limit, beforeId = endOfIds }) =>
      database.read((connection) => {
        if (!states) return connection.all(newest, beforeId, limit).map(entryFromRow);
        // One walk along the index for each: SQLite would read all rows of several states to sort them.
        const found = [...new Set(states)].flatMap((state) => connection.all(newestOfState, state, beforeId, limit));
        found.sort((a, b) => (String(a["id"]) < String(b["id"]) ? 1 : -1));
        return found.slice(0, limit).map(entryFromRow);
      }),
    async settle(id, settlement, at) {
      const body = JSON.stringify(toWire(settlement));
      const changed = await database.write((connection) => connection.run(update, settlement.state, at, body, id));
      ownWrites += changed;
      return changed > 0;
    },
    revision: () => database.dataVersion() + ownWrites,
    countPrunable: (settledBefore) =>
      database.read((connection) => Number(connection.get(countSettled, settledBefore)?.["count"])),
    async prune(settledBefore) {
      let pruned = 0;
      for (;;) {
        const removed = await database.write((connection) => connection.run(removeSettled, settledBefore, stepRows));
        pruned += removed;
        if (removed < stepRows) return pruned;
        await new Promise(setImmediate);
      }
    },
  };
}

const insert = "INSERT INTO inbox (id, state, created_at, body) VALUES (?, ?, ?, ?)";
const select = "SELECT id, state, settled_at, body, settlement FROM inbox";
const newest = `${select} WHERE id < ? ORDER BY id DESC LIMIT ?`;
const newestOfState = `${select} WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?`;
const countSettled = "SELECT count(*) AS count FROM inbox WHERE settled_at < ?";
const removeSettled = `
  DELETE FROM inbox WHERE rowid IN (SELECT rowid FROM inbox WHERE settled_at < ? ORDER BY settled_at LIMIT ?)`;
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
