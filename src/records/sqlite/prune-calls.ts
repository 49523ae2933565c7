import type { Database } from "./database.ts";

/** How many rows are looked at, and removed, before the event loop, and other processes, get their turn. */
const stepRows = 200;

/** How many `pruneExecutions` would remove. */
export async function countPrunable(
  database: Database,
  completedBefore: number,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { prunable } of walkSteps(database, completedBefore)) {
    count += prunable;
    if (signal?.aborted) break;
  }
  return count;
}

/** Looks at every row: an index for it would cost each call more than this costs the few who ask. */
export async function pruneExecutions(
  database: Database,
  completedBefore: number,
  signal?: AbortSignal,
): Promise<number> {
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
