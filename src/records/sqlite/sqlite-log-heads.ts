import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { JournalHead, JournalHeads, JournalMemory, JournalPrune } from "../../core/stores.ts";
import type { Connection, Row } from "./sqlite-connection.ts";
import type { Database } from "./database.ts";
import { isBusy, toStoreError } from "../store-error.ts";

/** Over a database that other stores share. */
export function createSqliteJournalHeads(database: Database): JournalHeads {
  return {
    save: (head) => database.write((connection) => saveHead(connection, head)),
    saveNow: (head) => database.writeNow((connection) => saveHead(connection, head)),
    list: () => database.read((connection) => connection.all(selectHeads).map(headFromRow)),
    async remove(writers) {
      if (writers.length === 0) return;
      await database.write((connection) => {
        for (const writer of writers) connection.run("DELETE FROM journal_heads WHERE writer = ?", writer);
      });
    },
    savePrune: (prune) => database.write((connection) => savePrune(connection, prune)),
    listPrunes: () => database.read((connection) => connection.all(selectPrunes).map(pruneFromRow)),
  };
}

/**
 * What a store that is not in use by this process remembers, without changing anything: also on a read-only disk. Undefined
 * when there is no store; throws a RuntimeError when it can't be read.
 */
export function readJournalMemory(path: string): JournalMemory | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  // A pipe in its place would be waited for without end.
  if (!found.isFile()) throw toStoreError(new Error("it is not a file"), path);
  try {
    return query(new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }));
  } catch (first) {
    // The file alone, without what others have just written, would make their lines look forged.
    if (isBusy(first)) throw toStoreError(first, path);
    try {
      // A log that can't be opened for want of a place for its index: without it, what is in the file itself can be read.
      const location = `file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}?immutable=1`;
      return query(new DatabaseSync(new URL(location), { readOnly: true }));
    } catch {
      throw toStoreError(first, path);
    }
  }
}

/** Others write for milliseconds; the one that closes last moves all of its log into the file. */
const busyTimeoutMs = 5000;

/** Only the heads. */
export function readJournalHeads(path: string): readonly JournalHead[] | undefined {
  return readJournalMemory(path)?.heads;
}

function query(database: DatabaseSync): JournalMemory {
  const rows = (table: string, select: string): Row[] => {
    const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table);
    return known ? database.prepare(select).all() : [];
  };
  try {
    return {
      heads: rows("journal_heads", selectHeads).map(headFromRow),
      prunes: rows("journal_prunes", selectPrunes).map(pruneFromRow),
    };
  } finally {
    database.close();
  }
}

function saveHead(connection: Connection, { writer, seq, hash, segment, bytes, at }: JournalHead): void {
  connection.run(upsert, writer, seq, hash, segment, bytes, wholeOf(at));
}

function savePrune(connection: Connection, { firstSegment, lastSegment, lastHash, at }: JournalPrune): void {
  connection.run(insertPrune, firstSegment, lastSegment, lastHash, wholeOf(at));
}

function wholeOf(at: number): number {
  return Number.isFinite(at) ? Math.trunc(at) : 0;
}

const upsert = `
  INSERT INTO journal_heads (writer, seq, hash, segment, bytes, at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (writer) DO UPDATE SET
    seq = excluded.seq, hash = excluded.hash, segment = excluded.segment, bytes = excluded.bytes, at = excluded.at
  WHERE excluded.seq >= seq`;

const selectHeads = "SELECT writer, seq, hash, segment, bytes, at FROM journal_heads ORDER BY at, writer";

const insertPrune = "INSERT INTO journal_prunes (first_segment, last_segment, last_hash, at) VALUES (?, ?, ?, ?)";
const selectPrunes = "SELECT first_segment, last_segment, last_hash, at FROM journal_prunes ORDER BY rowid";

function headFromRow(row: Row): JournalHead {
  return {
    writer: String(row["writer"]),
    seq: Number(row["seq"]),
    hash: String(row["hash"]),
    segment: Number(row["segment"]),
    bytes: Number(row["bytes"]),
    at: Number(row["at"]),
  };
}

function pruneFromRow(row: Row): JournalPrune {
  const lastHash = row["last_hash"];
  return {
    firstSegment: Number(row["first_segment"]),
    lastSegment: Number(row["last_segment"]),
    lastHash: typeof lastHash === "string" ? lastHash : null,
    at: Number(row["at"]),
  };
}
