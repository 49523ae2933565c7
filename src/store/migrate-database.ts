import type { DatabaseSync } from "node:sqlite";
import { RuntimeError } from "../core/errors.ts";
import type { Migration } from "./migrations.ts";
import { unavailable, workWithout } from "./store-error.ts";
import { runTransaction } from "./transaction.ts";

/** "Deck": how a database of ours is told from any other. */
const applicationId = 0x4465636b;

/**
 * Brings the database to the newest version, each step in a transaction of its own. Two processes may do this at once:
 * the version is looked at again once the write lock is held. Throws SQLITE_BUSY like any write; then it may be run again.
 */
export function migrateDatabase(connection: DatabaseSync, path: string, migrations: readonly Migration[]): void {
  let version = checkOwner(connection, path, migrations.length);
  while (version < migrations.length) {
    version = runTransaction(connection, "BEGIN IMMEDIATE", () => {
      const current = readVersion(connection, path, migrations.length);
      const next = migrations[current];
      if (!next) return current;
      connection.exec(next.sql);
      connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${next.version}`);
      return next.version;
    });
  }
}

/** The version of a database that is ours or empty; throws when it is another program's or from a later version. */
export function checkOwner(connection: DatabaseSync, path: string, newest: number): number {
  // Three questions, one answer: without a transaction another migrator could finish between them.
  return runTransaction(connection, "BEGIN", () => readVersion(connection, path, newest));
}

function readVersion(connection: DatabaseSync, path: string, newest: number): number {
  const version = readNumber(connection, "PRAGMA user_version");
  const owner = readNumber(connection, "PRAGMA application_id");
  const isEmpty = version === 0 && readNumber(connection, "SELECT count(*) FROM sqlite_schema") === 0;
  if (owner !== applicationId && !(owner === 0 && isEmpty)) {
    throw unavailable(path, "it is the SQLite database of another program");
  }
  if (version > newest) {
    throw new RuntimeError(
      "STORE_NEWER",
      `The store ${path} was written by a newer Deckhand (its version is ${version}, this one knows ${newest}): update Deckhand, move the file away, or ${workWithout}.`,
    );
  }
  return version;
}

function readNumber(connection: DatabaseSync, sql: string): number {
  return Number(Object.values(connection.prepare(sql).get() ?? {})[0]);
}
