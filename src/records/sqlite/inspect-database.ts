import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { ProcessIdentity } from "../../core/process.ts";
import type { JournalHead } from "../../core/stores.ts";
import { damaged, toStoreError, unavailable } from "../store-error.ts";
import {
  applicationId,
  checkOwner,
  findMissing,
  listColumns,
  migrateDatabase,
  type Migration,
  readMigrations,
} from "./migrate-database.ts";
import { readJournalHeads } from "./sqlite-log-heads.ts";

/** What a store looks like from outside. */
export interface DatabaseState {
  readonly bytes: number;
  readonly version: number;
  /** The one that this program would bring it to. */
  readonly newestVersion: number;
  /** Tables and indexes that should be there; the next call creates them again, without what they held. */
  readonly missing: { readonly tables: readonly string[]; readonly indexes: readonly string[] };
  /** False: it is too large for a quick look, and only its beginning was read. */
  readonly isChecked: boolean;
  /** How many questions wait for a person. */
  readonly waiting: number;
  /** The processes that have calls under way, by what the records say. */
  readonly owners: readonly ProcessIdentity[];
  readonly heads: readonly JournalHead[];
}

/** Beyond this a check takes longer than anybody who only looks would wait. */
const mostCheckedBytes = 128 * 1024 * 1024;

/**
 * Looks at a store without changing anything. Undefined when there is none; throws a RuntimeError when it can't be read, is
 * damaged, or is not ours.
 */
export function inspectDatabase(path: string): DatabaseState | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // A pipe by that name would be waited for without end.
  if (!stats.isFile()) throw unavailable(path, "it is not a regular file");
  let database: DatabaseSync | undefined;
  try {
    database = openToLook(path);
    const migrations = readMigrations();
    const newestVersion = migrations.length;
    const version = checkOwner(database, path, newestVersion);
    const isChecked = stats.size <= mostCheckedBytes;
    if (isChecked) check(database, path);
    return {
      bytes: stats.size,
      version,
      newestVersion,
      missing: rehearse(database, path, migrations),
      isChecked,
      waiting: hasTable(database, "inbox") ? countWaiting(database) : 0,
      owners: hasTable(database, "executions") ? readOwners(database) : [],
      heads: readJournalHeads(path) ?? [],
    };
  } catch (thrown) {
    throw toStoreError(thrown, path);
  } finally {
    database?.close();
  }
}

/** Opens what the store consists of, without its rows, as a call would. Throws what that would throw, or what would come later. */
function rehearse(database: DatabaseSync, path: string, migrations: readonly Migration[]): DatabaseState["missing"] {
  const version = checkOwner(database, path, migrations.length);
  // What a later version brings is still to come, and what it takes away is not missed.
  const wanted = new Set(findMissing(database, migrations).map(({ name }) => name));
  const lacks = findMissing(database, migrations.slice(0, version)).filter(({ name }) => wanted.has(name));
  const [copy, fresh] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")];
  try {
    const parts = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC").all();
    for (const { sql } of parts) if (ownPart.test(String(sql))) copy.prepare(String(sql)).run();
    copy.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
    migrateDatabase(copy, path, migrations);
    migrateDatabase(fresh, path, migrations);
    for (const { name: table } of fresh.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
      const columns = listColumns(copy, String(table));
      const lacking = listColumns(fresh, String(table)).filter((column) => !columns.includes(column));
      if (lacking.length > 0) throw damaged(path, `the table ${String(table)} has no column ${lacking.join(", ")}`);
    }
  } finally {
    copy.close();
    fresh.close();
  }
  const named = (type: string): string[] => lacks.flatMap((part) => (part.type === type ? [part.name] : []));
  return { tables: named("TABLE"), indexes: named("INDEX") };
}

/** Nothing that would do more than to be there. */
const ownPart = /^CREATE (TABLE|(UNIQUE )?INDEX) (?!sqlite_)/;

function check(database: DatabaseSync, path: string): void {
  const [first] = database.prepare("PRAGMA quick_check(1)").all();
  const said = String(Object.values(first ?? {})[0]);
  if (said !== "ok") throw damaged(path, said);
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

function countWaiting(database: DatabaseSync): number {
  return Number(Object.values(database.prepare("SELECT count(*) FROM inbox WHERE state = 'waiting'").get() ?? {})[0]);
}

function readOwners(database: DatabaseSync): ProcessIdentity[] {
  return database
    .prepare(
      `SELECT DISTINCT owner_pid, owner_start, owner_boot FROM executions
       WHERE state IN ('pending', 'running') AND owner_pid IS NOT NULL LIMIT 1000`,
    )
    .all()
    .map((row) => ({
      pid: Number(row["owner_pid"]),
      startTime: String(row["owner_start"]),
      bootId: String(row["owner_boot"]),
    }));
}

/** Opens a store without changing anything. Throws what SQLite throws. */
export function openToLook(path: string): DatabaseSync {
  // Where there is no log, whoever only may read would leave an empty one behind; whoever could write takes it along again.
  const isAtRest = !existsSync(`${path}-wal`);
  try {
    return connect(path, !isAtRest);
  } catch (first) {
    try {
      // On a read-only disk there is no place for the index of the log; the file itself can be read without.
      return connect(
        new URL(`file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}?immutable=1`),
        true,
      );
    } catch {
      throw first;
    }
  }
}

function connect(location: string | URL, readOnly: boolean): DatabaseSync {
  const database = new DatabaseSync(location, { readOnly, timeout: 500 });
  try {
    database.enableDefensive(true);
    database.exec("PRAGMA trusted_schema = OFF");
    database.exec("PRAGMA query_only = ON");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}
