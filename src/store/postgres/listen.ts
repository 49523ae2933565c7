import type { Client } from "pg";
import type { Clock } from "../../core/clock.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** What every change of a task's state is told on. */
export const channel = "deckhand_tasks";

export interface Listening {
  close(): Promise<void>;
}

const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * Hears what others write. Whatever breaks, it listens again by itself, and then tells that something may have been missed; where
 * notifications do not get through at all, whoever listens has to look now and then anyway.
 */
export function listen(connection: PostgresConnection, clock: Clock, onNews: () => void): Listening {
  let client: Client | undefined;
  let pauseMs = firstPauseMs;
  let isClosed = false;
  let cancelPause = (): void => {};
  let connecting = connect();

  async function connect(): Promise<void> {
    try {
      const opened = await connection.connect();
      client = opened;
      opened.on("notification", onNews);
      opened.once("end", () => again(opened));
      await opened.query(`LISTEN ${channel}`);
      pauseMs = firstPauseMs;
      onNews();
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
    cancelPause();
    cancelPause = clock.after(pauseMs, () => void (connecting = connect()));
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }

  return {
    async close() {
      isClosed = true;
      cancelPause();
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
