import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { JournalHead } from "../core/journal-heads.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import { checkOwner } from "./migrate-database.ts";
import { readMigrations } from "./migrations.ts";
import { openToLook } from "./open-to-look.ts";
import { readJournalHeads } from "./sqlite-journal-heads.ts";
import { damaged, toStoreError, unavailable } from "./store-error.ts";

/** What a store looks like from outside. */
export interface DatabaseState {
  readonly bytes: number;
  readonly version: number;
  /** The one that this program would bring it to. */
  readonly newestVersion: number;
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
    const newestVersion = readMigrations().length;
    const version = checkOwner(database, path, newestVersion);
    const isChecked = stats.size <= mostCheckedBytes;
    if (isChecked) check(database, path);
    return {
      bytes: stats.size,
      version,
      newestVersion,
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
