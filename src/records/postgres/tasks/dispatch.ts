import { createHash } from "node:crypto";
import type { PgBoss } from "pg-boss";
import { fromKey, toKey } from "../../store-rules.ts";
import type { PostgresConnection, Query } from "../postgres-connection.ts";
import type { StoreParts } from "./store-parts.ts";

/**
 * pg-boss tells workers that something waits, and which of them may take it. A job of it is a token: at least one for each task that
 * waits, in a queue for each line of a project. Which task that is, and what becomes of it, is in our own rows, and nothing is ever repeated,
 * expired or scheduled by pg-boss. A token more does no harm; one that a worker took along when it died is replaced by the patrol.
 */
export interface Dispatch {
  open(line: Line): Promise<Tokens>;
  close(): Promise<void>;
}

/** Where a task waits: for any machine that has its agent, or for one of them. */
export interface Line {
  readonly agent: string;
  readonly pinnedTo: string | null;
}

export interface Tokens {
  /** One more task waits, as soon as its row says so: the token has to be there first. */
  announce(): Promise<void>;
  /** False when no token is there. */
  take(): Promise<boolean>;
  /** Makes the tokens as many as the tasks that wait, or a few more. */
  repair(): Promise<void>;
}

/** "Disp": nobody else uses this advisory lock. */
const lockKey = 0x44697370;
const schema = "deckhand_queue";
/** Tokens wait as long as their tasks. */
const longSeconds = 10 * 365 * 86_400;

export function createDispatch(connection: PostgresConnection, scope: string): Dispatch {
  const queues = new Map<string, Promise<Tokens>>();
  let opening: Promise<PgBoss> | undefined;

  async function open(): Promise<PgBoss> {
    const { PgBoss } = await import("pg-boss");
    const boss = new PgBoss({
      db: toDatabase(connection.query),
      schema,
      supervise: false,
      schedule: false,
      queueCacheIntervalSeconds: 3600,
    });
    // It asks for its queues now and then; a server that is gone is told by whoever needs it.
    boss.on("error", () => {});
    // Two that install it at the same time get in each other's way, in spite of its own lock.
    await connection.transaction(async (query) => {
      await query("SET LOCAL idle_in_transaction_session_timeout = 0");
      await query("SELECT pg_advisory_xact_lock($1)", [lockKey]);
      await boss.start();
    });
    return boss;
  }

  /** Undone when it fails, so that the next one tries again. */
  function start(): Promise<PgBoss> {
    opening ??= open().catch((thrown: unknown) => {
      opening = undefined;
      throw thrown;
    });
    return opening;
  }

  async function openQueue(name: string, line: Line): Promise<Tokens> {
    const boss = await start();
    await boss.createQueue(name, { retryLimit: 0, retentionSeconds: longSeconds });
    return createTokens({ boss, query: connection.query, scope }, name, line);
  }

  return {
    open(line) {
      const name = `${shortenScope(scope)}/${queueName(line)}`;
      const known = queues.get(name);
      if (known) return known;
      const opened = openQueue(name, line);
      queues.set(name, opened);
      opened.catch(() => queues.delete(name));
      return opened;
    },
    async close() {
      const boss = await opening?.catch(() => undefined);
      await boss?.stop({ close: false, graceful: false });
    },
  };
}

/** So many used tokens are removed together; what is left of them goes with a patrol. */
const usedTogether = 20;

/** Tokens of tasks that are just being added look like too many. */
const mostSpare = 100;

function createTokens(
  { boss, query, scope }: { readonly boss: PgBoss; readonly query: Query; readonly scope: string },
  queue: string,
  { agent, pinnedTo }: Line,
): Tokens {
  const used: string[] = [];

  return {
    async announce() {
      await boss.send(queue);
    },
    async take() {
      const [token] = await boss.fetch(queue);
      if (!token) return false;
      used.push(token.id);
      if (used.length >= usedTogether) await boss.deleteJob(queue, used.splice(0));
      return true;
    },
    async repair() {
      await query(removeUsed, [queue]);
      const [row] = await query(countMissing, [toKey(agent), queue, pinnedTo, scope]);
      const missing = Number(row?.["missing"]);
      if (missing > 0)
        await boss.insert(
          queue,
          Array.from({ length: missing }, () => ({})),
        );
      else if (missing < -mostSpare) await query(removeSome, [queue, -missing - mostSpare]);
    },
  };
}

/** Whoever took them has used them long since, or died. */
const removeUsed = `
  DELETE FROM ${schema}.job WHERE name = $1 AND state >= 'active' AND started_on < now() - interval '1 minute'`;

const countMissing = `
  SELECT (SELECT count(*) FROM deckhand.tasks
      WHERE scope = $4 AND agent = $1 AND state = 'queued' AND pinned_to IS NOT DISTINCT FROM $3)
    - (SELECT count(*) FROM ${schema}.job WHERE name = $2 AND state < 'active') AS missing`;

const removeSome = `
  DELETE FROM ${schema}.job WHERE name = $1 AND id IN (
    SELECT id FROM ${schema}.job WHERE name = $1 AND state < 'active' LIMIT $2 FOR UPDATE SKIP LOCKED)`;

function toDatabase(query: Query): { executeSql(text: string, values?: unknown[]): Promise<{ rows: Row[] }> } {
  return { executeSql: async (text, values) => ({ rows: await query(text, values) }) };
}

type Row = Awaited<ReturnType<Query>>[number];

function queueName({ agent, pinnedTo }: Line): string {
  return pinnedTo === null ? `any/${plain(agent)}` : `one/${plain(agent)}/${plain(pinnedTo)}`;
}

/** A project's name has any length and letters; as a part of other names it is this. */
export function shortenScope(scope: string): string {
  return createHash("sha256").update(scope).digest("hex").slice(0, 32);
}

/** Names of agents and machines are people's; those of queues have few letters. */
function plain(name: string): string {
  return /^[\w-]{1,100}$/.test(name) ? name : `.${createHash("sha256").update(name).digest("hex")}`;
}

/** A task without a token would wait for ever: whoever had that has died, or somebody has emptied the queues. */
export async function repairTokens({
  connection,
  dispatch,
  scope,
}: Pick<StoreParts, "connection" | "dispatch" | "scope">): Promise<void> {
  const find = "SELECT DISTINCT agent, pinned_to FROM deckhand.tasks WHERE scope = $1 AND state = 'queued'";
  for (const line of await connection.query(find, [scope])) {
    const pinnedTo = line["pinned_to"] as string | null;
    await (await dispatch.open({ agent: fromKey(String(line["agent"])), pinnedTo })).repair();
  }
}
