import { randomUUID } from "node:crypto";
import type { Clock } from "../../../core/clock.ts";
import { listen, recordsChannel } from "../listen-postgres.ts";
import type { PostgresConnection } from "../postgres-connection.ts";

type Topic = "schedule" | "inbox";

/** Tells other processes what this one writes, and counts what they write. */
export interface Telling {
  /** To stand in the statement that writes: told when that is committed. */
  sql(topic: Topic): string;
  /** What this process wrote counts, too, and at once. */
  here(topic: Topic): void;
  revision(topic: Topic): number;
  close(): Promise<void>;
}

/** So often whoever looks sees a change that nobody told of: notifications do not get through everywhere. */
const pollMs = 1000;

export function openTelling(connection: PostgresConnection, clock: Clock): Telling {
  const self = randomUUID();
  const counts: Record<Topic, number> = { schedule: 0, inbox: 0 };
  let polledAt = clock.monotonic();
  const listening = listen(connection, clock, { name: recordsChannel, onNews });

  function onNews(payload: string | undefined): void {
    const [topic, sender] = payload?.split(" ") ?? [];
    if (sender === self) return;
    // Nobody knows what was told while nobody listened.
    if (topic !== "inbox") counts.schedule += 1;
    if (topic !== "schedule") counts.inbox += 1;
  }

  return {
    sql: (topic) => `pg_notify('${recordsChannel}', '${topic} ${self}')`,
    here: (topic) => void (counts[topic] += 1),
    revision(topic) {
      if (!listening.isHearing && clock.monotonic() - polledAt >= pollMs) {
        polledAt = clock.monotonic();
        onNews(undefined);
      }
      return counts[topic];
    },
    close: () => listening.close(),
  };
}
