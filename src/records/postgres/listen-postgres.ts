import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import type { Clock } from "../../core/clock.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** What every change of a task's state is told on. */
export const channel = "deckhand_tasks";
/** What every change of jobs, runs and the inbox is told on: which of them, and who. */
export const recordsChannel = "deckhand_records";

export interface Listening {
  /** Whether what others tell gets through: it does not where connections are pooled by transaction. */
  readonly isHearing: boolean;
  close(): Promise<void>;
}

const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * Hears what others write. Whatever breaks, it listens again by itself, and then tells that something may have been missed; where
 * notifications do not get through at all, whoever listens has to look now and then anyway.
 */
export function listen(
  connection: PostgresConnection,
  clock: Clock,
  { name, onNews }: { readonly name: string; readonly onNews: (payload: string | undefined) => void },
): Listening {
  const echo = `echo ${randomUUID()}`;
  let isHearing = false;
  let client: Client | undefined;
  let pauseMs = firstPauseMs;
  let isClosed = false;
  let cancelPause = (): void => {};
  let connecting = connect();

  async function connect(): Promise<void> {
    try {
      const opened = await connection.connect();
      client = opened;
      opened.on("notification", ({ payload }) => {
        if (payload === echo) isHearing = true;
        else if (payload?.startsWith("echo ") !== true) onNews(payload);
      });
      opened.once("end", () => again(opened));
      await opened.query(`LISTEN ${name}`);
      pauseMs = firstPauseMs;
      onNews(undefined);
      // By another connection: its own a pooler would let through.
      await connection.query("SELECT pg_notify($1, $2)", [name, echo]);
    } catch {
      // Whoever needs the store is told; here it is only tried again.
      const failed = client;
      await failed?.end().catch(() => {});
      if (failed === client) again(failed);
    }
  }

  function again(ended: Client | undefined): void {
    if (isClosed || client !== ended) return;
    client = undefined;
    isHearing = false;
    cancelPause();
    cancelPause = clock.after(pauseMs, () => void (connecting = connect()));
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }

  return {
    get isHearing() {
      return isHearing;
    },
    async close() {
      isClosed = true;
      cancelPause();
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
