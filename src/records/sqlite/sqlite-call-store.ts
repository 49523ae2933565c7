import type { ExecutionStore } from "../../core/stores.ts";
import type { Clock } from "../../core/clock.ts";
import { cutMiddle } from "../../core/text.ts";
import { executionColumns, executionFromRow, executionToRow, saveOneRow, saveRows } from "./call-row.ts";
import { type Database, openDatabase } from "./database.ts";
import { listExecutions, reachOf } from "./list-calls.ts";

/** Executions in a SQLite file that any number of processes share. Rejects with a RuntimeError that says what to do. */
export async function openSqliteStore(options: {
  readonly path: string;
  readonly clock: Clock;
}): Promise<ExecutionStore> {
  return createSqliteStore(await openDatabase(options));
}

const longestReason = 10_000;

/** Over a database that other stores may share. */
export function createSqliteStore(database: Database): ExecutionStore {
  /** Our own writes do not change `data_version`, but whoever watches for requests must see ours too. */
  let ownRequests = 0;

  return {
    async save(executions) {
      const rows = executions.map(executionToRow);
      if (rows.length > 0) await database.write((connection) => saveRows(connection, rows));
    },
    saveNow(executions) {
      const rows = executions.map(executionToRow);
      const [only] = rows;
      if (only && rows.length === 1) return database.runNow((connection) => saveOneRow(connection, only));
      return database.writeNow((connection) => saveRows(connection, rows));
    },
    get: (id) =>
      database.read((connection) => {
        const row = connection.get(`SELECT ${executionColumns} FROM executions WHERE id = ?`, id);
        return row && executionFromRow(row);
      }),
    list: (query) => listExecutions(database, query),
    reach: (query) => reachOf(database, query),
    async requestCancel(id, reason) {
      const found = await database.write((connection) => connection.run(request, cutMiddle(reason, longestReason), id));
      ownRequests += found;
      return found > 0;
    },
    async takeCancelRequests({ pid, startTime, bootId }) {
      const owner = [pid, startTime, bootId];
      // Looked at without the write lock first: most of the time there is nothing.
      const waiting = await database.read((connection) => connection.get(`${requests} LIMIT 1`, ...owner));
      if (!waiting) return [];
      return database.write((connection) => {
        const taken = connection.all(requests, ...owner);
        for (const { id } of taken) connection.run("UPDATE executions SET cancel_taken = 1 WHERE id = ?", id);
        return taken.map(({ id, reason }) => ({ id: String(id), reason: String(reason) }));
      });
    },
    revision: () => database.dataVersion() + ownRequests,
    countPrunable: (completedBefore, signal) => countPrunable(database, completedBefore, signal),
    prune: (completedBefore, signal) => pruneExecutions(database, completedBefore, signal),
    close: () => database.close(),
  };
}

/** The first request stands; a second one for the same execution only learns that it is under way. */
const request = `
  UPDATE executions SET cancel_reason = coalesce(cancel_reason, ?)
  WHERE id = ? AND state IN ('pending', 'running')`;

const requests = `
  SELECT id, cancel_reason AS reason FROM executions
  WHERE cancel_reason IS NOT NULL AND cancel_taken = 0 AND state IN ('pending', 'running')
    AND owner_pid = ? AND owner_start = ? AND owner_boot = ?
  ORDER BY id`;

/** How many rows are looked at, and removed, before the event loop, and other processes, get their turn. */
const stepRows = 200;

/** How many `pruneExecutions` would remove. */
async function countPrunable(database: Database, completedBefore: number, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for await (const { prunable } of walkSteps(database, completedBefore)) {
    count += prunable;
    if (signal?.aborted) break;
  }
  return count;
}

/** Looks at every row: an index for it would cost each call more than this costs the few who ask. */
async function pruneExecutions(database: Database, completedBefore: number, signal?: AbortSignal): Promise<number> {
  let pruned = 0;
  for await (const { after, last, prunable } of walkSteps(database, completedBefore)) {
    if (signal?.aborted) break;
    if (prunable === 0) continue;
    pruned += await database.write((connection) => connection.run(remove, after, last, completedBefore));
  }
  return pruned;
}

/** Some rows in a row. */
interface Step {
  readonly after: number;
  readonly last: number;
  readonly prunable: number;
}

async function* walkSteps(database: Database, completedBefore: number): AsyncGenerator<Step> {
  let after = 0;
  for (;;) {
    const step = await database.read((connection) => {
      const last = Number(connection.get(findLast, after, stepRows)?.["last"] ?? after);
      return { after, last, prunable: Number(connection.get(count, after, last, completedBefore)?.["count"]) };
    });
    if (step.last === after) return;
    yield step;
    after = step.last;
    await new Promise(setImmediate);
  }
}

const findLast = "SELECT max(rowid) AS last FROM (SELECT rowid FROM executions WHERE rowid > ? ORDER BY rowid LIMIT ?)";

const isPrunable = `
  rowid > ? AND rowid <= ? AND completed_at < ? AND completed_at IS NOT NULL AND state NOT IN ('pending', 'running')`;
const count = `SELECT count(*) AS count FROM executions WHERE ${isPrunable}`;
const remove = `DELETE FROM executions WHERE ${isPrunable}`;
