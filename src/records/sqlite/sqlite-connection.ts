import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import { isBusy, toStoreError } from "../store-error.ts";
import { makePrivate, prepareDatabaseFile } from "./database-file.ts";
import { checkOwner, migrateDatabase, readMigrations } from "./migrate-database.ts";

export type Row = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;
export type Parameter = string | number | bigint | boolean | Date | Uint8Array | null | undefined;

/** node:sqlite with its traps in one place: every statement prepared once, every parameter made bindable. */
export interface Connection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  /** Tables that were missing when it was opened, and were created again: what they held is lost. */
  readonly recreated: readonly string[];
  exec(sql: string): void;
  /** How many rows were changed. */
  run(sql: string, ...parameters: Parameter[]): number;
  get(sql: string, ...parameters: Parameter[]): Row | undefined;
  all(sql: string, ...parameters: Parameter[]): Row[];
  close(): void;
}

/** Longer would stall the event loop; shorter would pause although the other is done at once. */
const busyTimeoutMs = 20;

/** Opens the file, makes it if it is missing, and brings it to the newest version. Rejects with a RuntimeError. */
export async function connect(path: string, clock: Clock): Promise<Connection> {
  prepareDatabaseFile(path);
  let database: DatabaseSync | undefined;
  try {
    const opened = (database = new DatabaseSync(path, { timeout: busyTimeoutMs }));
    const recreated = await retryBusy(clock, () => configure(opened, path), clock.monotonic());
    makePrivate(path);
    return wrap(opened, recreated);
  } catch (thrown) {
    database?.close();
    throw toStoreError(thrown, path);
  }
}

function configure(database: DatabaseSync, path: string): string[] {
  const migrations = readMigrations();
  // The file may come from a stranger's repository: its schema gets no say in what we run.
  database.enableDefensive(true);
  database.exec("PRAGMA trusted_schema = OFF");
  // Before the first change: a database of somebody else must stay as it is.
  checkOwner(database, path, migrations.length);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA foreign_keys = ON");
  // Twice the default: a checkpoint syncs the disk twice, whatever it moves. Twice as much again doubled the longest stall.
  database.exec("PRAGMA wal_autocheckpoint = 2000");
  database.exec("PRAGMA journal_size_limit = 16777216");
  return migrateDatabase(database, path, migrations);
}

function wrap(database: DatabaseSync, recreated: readonly string[]): Connection {
  const statements = new Map<string, StatementSync>();

  function prepare(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  return {
    recreated,
    get isOpen() {
      return database.isOpen;
    },
    get isTransaction() {
      return database.isTransaction;
    },
    exec: (sql) => void prepare(sql).run(),
    run: (sql, ...parameters) => Number(prepare(sql).run(...bindAll(parameters)).changes),
    get: (sql, ...parameters) => prepare(sql).get(...bindAll(parameters)),
    all: (sql, ...parameters) => prepare(sql).all(...bindAll(parameters)),
    close: () => database.close(),
  };
}

/** In place: the list was made for this one call. */
function bindAll(parameters: Parameter[]): SQLInputValue[] {
  const bound = parameters as SQLInputValue[];
  for (let index = 0; index < bound.length; index++) bound[index] = bindable(parameters[index]);
  return bound;
}

/** Left alone, a Date binds as NULL and undefined throws. */
function bindable(parameter: Parameter): SQLInputValue {
  switch (typeof parameter) {
    case "undefined":
      return null;
    case "boolean":
      return parameter ? 1 : 0;
    default:
      return parameter instanceof Date ? parameter.getTime() : parameter;
  }
}

/** How long an operation goes on trying while others hold the write lock. */
const patienceMs = 5000;
const firstPauseMs = 2;
const longestPauseMs = 100;

/**
 * Tries until nobody else is in the way, with pauses in which the event loop runs; in the end throws the last SQLITE_BUSY.
 * `since`: when the caller began to wait, for one that first had to stand in a queue.
 */
export async function retryBusy<Result>(clock: Clock, attempt: () => Result, since: number): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || clock.monotonic() - since > patienceMs) throw thrown;
    }
    // Two that collided once would collide again if both paused equally long.
    const jitteredMs = pauseMs * (0.5 + Math.random());
    await new Promise<void>((resolve) => void clock.after(jitteredMs, resolve));
  }
}
