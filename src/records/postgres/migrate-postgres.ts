import { RuntimeError } from "../../core/errors.ts";
import { readMigrations } from "../sqlite/migrate-database.ts";
import type { PostgresConnection, Query } from "./postgres-connection.ts";

/** "Deck": nobody else uses this advisory lock. */
const lockKey = 0x4465636b;

/** Brings the schema `deckhand` to the newest version. Any number of processes may do this at once: one does, the others wait. */
export async function migratePostgres(connection: PostgresConnection): Promise<void> {
  const migrations = readMigrations(new URL("./postgres-migrations/", import.meta.url));
  // Looked at first: who only uses the store needs no right to change it.
  if ((await readPostgresVersion(connection.query, connection.name, migrations.length)) === migrations.length) return;
  await connection.transaction(async (query) => {
    await query("SET LOCAL statement_timeout = 0");
    await query("SELECT pg_advisory_xact_lock($1)", [lockKey]);
    const version = await readPostgresVersion(query, connection.name, migrations.length);
    if (version === migrations.length) return;
    await query("CREATE SCHEMA IF NOT EXISTS deckhand");
    await query("CREATE TABLE IF NOT EXISTS deckhand.schema_version (version integer NOT NULL)");
    for (const { sql } of migrations.slice(version)) await query(sql);
    await query("DELETE FROM deckhand.schema_version");
    await query("INSERT INTO deckhand.schema_version VALUES ($1)", [migrations.length]);
  });
}

/** 0 when there is nothing yet; throws STORE_NEWER. */
export async function readPostgresVersion(query: Query, name: string, newest: number): Promise<number> {
  // Not `to_regclass`: inside a transaction that goes on saying that there is none, once it was so.
  const [found] = await query(
    "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'deckhand' AND tablename = 'schema_version') AS exists",
  );
  if (found?.["exists"] !== true) return 0;
  const [row] = await query("SELECT version FROM deckhand.schema_version");
  const version = Number(row?.["version"] ?? 0);
  if (version > newest) {
    throw new RuntimeError(
      "STORE_NEWER",
      `The store ${name} was written by a newer Deckhand (its version is ${version}, this one knows ${newest}): update Deckhand on this machine.`,
    );
  }
  return version;
}
