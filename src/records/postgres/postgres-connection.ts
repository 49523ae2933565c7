import type { Client, ClientConfig, Pool, PoolClient } from "pg";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";
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
const standStill = "idle_in_transaction_session_timeout";
/** And a process that stands still in the middle must not keep what it has locked. */
const limits = { statement_timeout: statementMs, [standStill]: 15_000 } as const;
const connectMs = 10_000;
const mostConnections = 8;

/** Connects when it is first used. The driver is loaded then, too. */
export function openPostgresConnection(address: string): PostgresConnection {
  const { url, name } = readPostgresAddress(address);
  let config: ClientConfig = {
    connectionString: url,
    application_name: "deckhand",
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    // The server may be gone without a word.
    query_timeout: statementMs + 10_000,
    ...limits,
  };
  const manner: Manner = { hasLimits: true, namesStatements: true };
  let pool: Promise<Pool> | undefined;
  let closing: Promise<void> | undefined;

  async function openPool(): Promise<Pool> {
    const { default: driver } = await import("pg");
    const opened = new driver.Pool({ ...config, max: mostConnections });
    // An idle connection that breaks is replaced when it is needed.
    opened.on("error", ignore);
    return opened;
  }

  async function run<Result>(work: (pool: Pool) => Promise<Result>, tries = 1): Promise<Result> {
    if (closing) throw new RuntimeError("STORE_CLOSED", `The store ${name} is closed.`);
    const used = (pool ??= openPool());
    try {
      return await work(await used);
    } catch (thrown) {
      if (tries > mostTries || !isBeyond(thrown)) throw toPostgresError(thrown, name);
      await giveIn(thrown, used);
      return run(work, tries + 1);
    }
  }

  /** A pooler that shares connections by transaction does not have all that a server has; it did nothing, and is asked for less. */
  async function giveIn(thrown: unknown, used: Promise<Pool>): Promise<void> {
    if (isUnknownStatement(thrown)) {
      manner.namesStatements = false;
      return;
    }
    manner.hasLimits = false;
    config = omitLimits(config);
    if (pool !== used) return;
    pool = undefined;
    await (await used).end();
  }

  const toQuery =
    (session: Pool | PoolClient): Query =>
    async (text, values = [], name) => {
      const statement = name === undefined || !manner.namesStatements ? { text } : { text, name };
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
      await session.query(manner.hasLimits ? "BEGIN" : `BEGIN; SET LOCAL ${standStill} = ${limits[standStill]}`);
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

/** What goes with a server, but not with every pooler that shares its connections by transaction. */
interface Manner {
  hasLimits: boolean;
  namesStatements: boolean;
}

const mostTries = 3;

function isBeyond(thrown: unknown): boolean {
  return isUnknownStatement(thrown) || /unsupported startup parameter/.test(messageOf(thrown));
}

/** It was planned on another connection, or on this one by somebody else. */
function isUnknownStatement(thrown: unknown): boolean {
  return ["26000", "42P05"].includes(codeOf(thrown) ?? "");
}

function omitLimits(config: ClientConfig): ClientConfig {
  const rest = { ...config };
  for (const limit of Object.keys(limits) as (keyof typeof limits)[]) delete rest[limit];
  return rest;
}

function ignore(): void {}

export interface PostgresAddress {
  /** For the driver; holds the password. */
  readonly url: string;
  /** For people: without password and options. */
  readonly name: string;
}

/** Throws CONFIG_INVALID, never with what was given: it may hold a password. */
export function readPostgresAddress(given: string): PostgresAddress {
  const url = parse(given);
  if (!url) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      "The store must be the address of a PostgreSQL database, as in postgres://user@host/database; what was given is none.",
    );
  }
  const mode = url.searchParams.get("sslmode");
  if (mode !== null && !modes.has(mode)) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `The sslmode of the store ${describe(url)} must be one of ${[...modes].join(", ")}; got "${mode}".`,
    );
  }
  // The driver takes these three for `verify-full` as well, and warns on standard error.
  if (unclearModes.has(mode ?? "")) url.searchParams.set("sslmode", "verify-full");
  return { url: url.href.replace(standIn, ""), name: describe(url) };
}

const modes = new Set(["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"]);
const unclearModes = new Set(["prefer", "require", "verify-ca"]);
/** An address with a user and without a host, as for a Unix socket, is no URL for the parser. */
const standIn = "no-host.invalid";

function parse(given: string): URL | undefined {
  if (!/^postgres(ql)?:\/\//.test(given)) return undefined;
  const whole = given.replace(/^([a-z]+:\/\/(?:[^/?#@]*@)?)(?=[/?#]|$)/, `$1${standIn}`);
  return URL.parse(whole) ?? undefined;
}

function describe(url: URL): string {
  const user = url.username === "" ? "" : `${url.username}@`;
  const host = url.searchParams.get("host") ?? url.host.replace(standIn, "");
  return `postgres://${user}${host.startsWith("/") ? encodeURIComponent(host) : host}${url.pathname}`;
}
