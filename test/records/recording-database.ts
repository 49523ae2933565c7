import type { Connection, Parameter } from "../../src/records/sqlite/sqlite-connection.ts";
import type { Database } from "../../src/records/sqlite/database.ts";

export interface Asked {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  readonly rows: number;
}

/** The same database, and what it was asked. */
export function recording(database: Database, asked: Asked[]): Database {
  const record = (connection: Connection): Connection => ({
    ...connection,
    get(sql, ...parameters) {
      const row = connection.get(sql, ...parameters);
      asked.push({ sql, parameters, rows: row ? 1 : 0 });
      return row;
    },
    all(sql, ...parameters) {
      const rows = connection.all(sql, ...parameters);
      asked.push({ sql, parameters, rows: rows.length });
      return rows;
    },
  });
  return { ...database, read: (work) => database.read((connection) => work(record(connection))) };
}

/** How SQLite goes about it, in its own words. */
export async function planOf(database: Database, { sql, parameters }: Asked): Promise<string[]> {
  const plan = await database.read((connection) => connection.all(`EXPLAIN QUERY PLAN ${sql}`, ...parameters));
  return plan.map(({ detail }) => String(detail));
}
