import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { RuntimeError } from "../../core/errors.ts";
import { unavailable, workWithout } from "../store-error.ts";
import { runTransaction } from "./transaction.ts";

/** "Deck": how a database of ours is told from any other. */
export const applicationId = 0x4465636b;

/**
 * Brings the database to the newest version, each step in one transaction with its version, and creates again what is missing of
 * that version. Two processes may do this at once: the version is looked at again once the write lock is held. Throws
 * SQLITE_BUSY like any write; then it may be run again. Returns the names of the tables that were missing: what they held is lost.
 *
 * Every step can be repeated, so that a store whose version was set back, or which another program changed half, can be used.
 */
export function migrateDatabase(connection: DatabaseSync, path: string, migrations: readonly Migration[]): string[] {
  let version = checkOwner(connection, path, migrations.length);
  while (version < migrations.length) {
    version = runTransaction(connection, "BEGIN IMMEDIATE", () => {
      const current = readVersion(connection, path, migrations.length);
      const next = migrations[current];
      if (!next) return current;
      applyMigration(connection, next);
      connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${next.version}`);
      return next.version;
    });
  }
  if (findMissing(connection, migrations).length === 0) return [];
  return runTransaction(connection, "BEGIN IMMEDIATE", () => {
    const missing = findMissing(connection, migrations);
    if (missing.length > 0) for (const migration of migrations) applyMigration(connection, migration);
    return missing.filter(({ type }) => type === "TABLE").map(({ name }) => name);
  });
}

interface SchemaPart {
  readonly type: "TABLE" | "INDEX";
  readonly name: string;
}

/** What all migrations together create, and is not there. */
export function findMissing(connection: DatabaseSync, migrations: readonly Migration[]): SchemaPart[] {
  const expected = new Map<string, SchemaPart>();
  for (const statement of migrations.flatMap(({ sql }) => splitStatements(sql))) {
    const [, verb, type, name = ""] = partForm.exec(statement) ?? [];
    if (verb?.startsWith("CREATE")) expected.set(name, { type: type as SchemaPart["type"], name });
    else expected.delete(name);
  }
  const present = connection.prepare("SELECT name FROM sqlite_schema").all();
  const names = new Set(present.map((row) => row["name"]));
  return [...expected.values()].filter(({ name }) => !names.has(name));
}

const partForm = /^(CREATE(?: UNIQUE)?|DROP) (TABLE|INDEX) (?:IF (?:NOT )?EXISTS )?(\w+)/;
const columnForm = /^ALTER TABLE (\w+) ADD (?:COLUMN )?(\w+)/;

/** Also where a part of it, or all of it, was done before. */
function applyMigration(connection: DatabaseSync, { sql }: Migration): void {
  for (const statement of splitStatements(sql)) {
    const [, table = "", column] = columnForm.exec(statement) ?? [];
    if (column !== undefined && listColumns(connection, table).includes(column)) continue;
    const guard = statement.startsWith("CREATE") ? "IF NOT EXISTS" : "IF EXISTS";
    connection.exec(statement.replace(partForm, `$1 $2 ${guard} $3`));
  }
}

export function listColumns(connection: DatabaseSync, table: string): string[] {
  return connection
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map((row) => String(row["name"]));
}

/** Migrations have no trigger and no text with a semicolon or two dashes in it. */
function splitStatements(sql: string): string[] {
  return sql
    .replaceAll(/--[^\n]*/g, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
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

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** The numbered files `0001-….sql`, in order. The bundle carries the folder beside its chunks. */
export function readMigrations(folder: URL = new URL("./migrations/", import.meta.url)): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    const version = Number.parseInt(name, 10);
    if (version !== index + 1) {
      throw new RuntimeError("STORE_UNAVAILABLE", `Expected migration ${index + 1} in ${folder.href}, found ${name}.`);
    }
    return { version, sql: readFileSync(new URL(name, folder), "utf8") };
  });
}
