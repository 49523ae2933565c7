import type { Execution } from "../../core/call.ts";
import type { ExecutionQuery, Reach } from "../../core/stores.ts";
import type { Row } from "./sqlite-connection.ts";
import type { Database } from "./database.ts";
import { executionColumns, executionFromRow } from "./call-row.ts";

/** How many rows are looked at before the event loop gets its turn. */
const stepRows = 1000;
/** Sorts after every id. */
const endOfIds = "\u{10ffff}";

/**
 * Newest first. An index leads to the rows; what it does not cover is compared row by row, in steps, so that a rare tool
 * among a million rows takes its time without stalling the process.
 */
export async function listExecutions(database: Database, query: ExecutionQuery): Promise<Execution[]> {
  const limit = Number.isNaN(query.limit) ? 0 : Math.max(0, Math.floor(query.limit));
  // No id has a space, which sorts before all that they have.
  const to = query.afterId === undefined ? "" : `${query.afterId} `;
  const range = { from: query.beforeId ?? endOfIds, to, limit, mostRows: query.mostRows ?? Infinity };
  const rows: Row[] = [];
  for (const walk of planWalks(query)) {
    for await (const row of walkRows(database, walk, range)) rows.push(row);
  }
  rows.sort((a, b) => (String(a["id"]) < String(b["id"]) ? 1 : -1));
  return rows.slice(0, limit).map(executionFromRow);
}

/** Found in the index alone. */
export async function reachOf(
  database: Database,
  { rows, beforeId = endOfIds }: { readonly rows: number; readonly beforeId?: string },
): Promise<Reach | undefined> {
  const ends = await database.read((connection) => connection.all(reach, beforeId, rows - 1));
  const [lastId, behindId] = ends.map(({ id }) => String(id));
  return lastId === undefined || behindId === undefined ? undefined : { lastId, behindId };
}

const reach = "SELECT id FROM executions WHERE id < ? ORDER BY id DESC LIMIT 2 OFFSET ?";

/** A way through the rows along one index; `filter` is what the index does not know. */
interface Walk {
  readonly along: Condition;
  readonly filter: Condition;
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly string[];
}

interface Range {
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  readonly mostRows: number;
}

const always: Condition = { sql: "", parameters: [] };

function planWalks({ states, conversationId, toolId }: ExecutionQuery): Walk[] {
  const ofTool: Condition = toolId === undefined ? always : { sql: "AND tool_id = ?", parameters: [toolId] };
  const wanted = [...new Set(states)];
  if (conversationId === undefined && states !== undefined && !wanted.includes("completed")) {
    return wanted.map((state) => ({
      along: { sql: "AND state = ? AND state <> 'completed'", parameters: [state] },
      filter: ofTool,
    }));
  }
  const ofStates: Condition =
    states === undefined ? always : { sql: `AND state IN (${wanted.map(() => "?").join()})`, parameters: wanted };
  return [
    {
      along: conversationId === undefined ? always : { sql: "AND conversation_id = ?", parameters: [conversationId] },
      filter: {
        sql: `${ofTool.sql} ${ofStates.sql}`.trim(),
        parameters: [...ofTool.parameters, ...ofStates.parameters],
      },
    },
  ];
}

async function* walkRows(database: Database, walk: Walk, { from, to, limit, mostRows }: Range) {
  let [before, left] = [from, limit];
  for (let looked = 0; left > 0 && looked < mostRows; looked += stepRows) {
    const { rows, next } = await database.read((connection) => {
      const most = Math.min(left, stepRows);
      const along = [before, ...walk.along.parameters];
      // Without a filter every row counts, so the limit alone keeps the step short.
      const end = walk.filter.sql && connection.get(boundary(walk), ...along, stepRows - 1)?.["id"];
      const lowest = String(end ?? "") > to ? String(end) : to;
      const matches = connection.all(page(walk), ...along, lowest, ...walk.filter.parameters, most);
      const isFull = matches.length === most;
      return { rows: matches, next: isFull ? matches.at(-1)?.["id"] : end };
    });
    yield* rows;
    left -= rows.length;
    if (!next || String(next) <= to) return;
    before = String(next);
    if (left > 0) await new Promise(setImmediate);
  }
}

/** The id that ends a step, found in the index alone. */
function boundary({ along }: Walk): string {
  return `SELECT id FROM executions WHERE id < ? ${along.sql} ORDER BY id DESC LIMIT 1 OFFSET ?`;
}

function page({ along, filter }: Walk): string {
  return `
    SELECT ${executionColumns} FROM executions WHERE id < ? ${along.sql} AND id >= ? ${filter.sql}
    ORDER BY id DESC LIMIT ?`;
}
