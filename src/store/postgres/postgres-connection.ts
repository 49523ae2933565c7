import type { Client, ClientConfig, Pool, PoolClient } from "pg";
import { RuntimeError } from "../../core/errors.ts";
import { readPostgresAddress } from "./postgres-address.ts";
import { toPostgresError } from "./postgres-error.ts";

export type Row = Readonly<Record<string, unknown>>;

/**
 * Runs one statement. With a name it is planned once for each connection, which is most of the work of a short one; its text is then
 * always the same, and names its columns: `*` would break when a newer Deckhand adds one.
 */
export type Query = (text: string, values?: readonly unknown[], name?: string) => Promise<Row[]>;

export interface PostgresConnection {
  /** The address as it may be shown. */
  readonly name: string;
  readonly query: Query;
  /** All of it or nothing; what `work` throws comes back. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  /** A connection of its own, for notifications; whoever opens it ends it. */
  connect(): Promise<Client>;
  close(): Promise<void>;
}

/** No statement of ours takes long; one that does would hold up everybody. */
const statementMs = 30_000;
/** A process that stands still in the middle must not keep what it has locked. */
const standStillMs = 15_000;
const connectMs = 10_000;
const mostConnections = 8;

/** Connects when it is first used. The driver is loaded then, too. */
export function openPostgresConnection(address: string): PostgresConnection {
  const { url, name } = readPostgresAddress(address);
  const config: ClientConfig = {
    connectionString: url,
    application_name: "deckhand",
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: standStillMs,
    // The server may be gone without a word.
    query_timeout: statementMs + 10_000,
  };
  let pool: Promise<Pool> | undefined;
  let closing: Promise<void> | undefined;

  async function openPool(): Promise<Pool> {
    const { default: driver } = await import("pg");
    const opened = new driver.Pool({ ...config, max: mostConnections });
    // An idle connection that breaks is replaced when it is needed.
    opened.on("error", () => {});
    return opened;
  }

  async function run<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
    if (closing) throw new RuntimeError("STORE_CLOSED", `The store ${name} is closed.`);
    try {
      return await work(await (pool ??= openPool()));
    } catch (thrown) {
      throw toPostgresError(thrown, name);
    }
  }

  const toQuery =
    (session: Pool | PoolClient): Query =>
    async (text, values = [], name) => {
      const statement = name === undefined ? { text } : { text, name };
      // Without any values it may be several statements.
      const given = values.length === 0 ? statement : { ...statement, values: [...values] };
      return (await session.query<Record<string, unknown>>(given)).rows;
    };

  async function inTransaction<Result>(opened: Pool, work: (query: Query) => Promise<Result>): Promise<Result> {
    const session = await opened.connect();
    // The pool hears only what idle connections say.
    session.on("error", ignore);
    let broken = true;
    try {
      await session.query("BEGIN");
      const result = await work(toQuery(session));
      await session.query("COMMIT");
      broken = false;
      return result;
    } catch (thrown) {
      broken = await session.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      throw thrown;
    } finally {
      session.off("error", ignore);
      session.release(broken);
    }
  }

  return {
    name,
    query: (text, values, name) => run((opened) => toQuery(opened)(text, values, name)),
    transaction: (work) => run((opened) => inTransaction(opened, work)),
    connect: () =>
      run(async () => {
        const { default: driver } = await import("pg");
        const client = new driver.Client(config);
        client.on("error", ignore);
        await client.connect();
        return client;
      }),
    close: () => (closing ??= pool ? pool.then((opened) => opened.end()) : Promise.resolve()),
  };
}

function ignore(): void {}
