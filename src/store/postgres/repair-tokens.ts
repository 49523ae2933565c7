import { fromKey } from "../text-key.ts";
import type { Dispatch } from "./dispatch.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** A task without a token would wait for ever: whoever had that has died, or somebody has emptied the queues. */
export async function repairTokens(connection: PostgresConnection, dispatch: Dispatch): Promise<void> {
  const lines = await connection.query("SELECT DISTINCT agent, pinned_to FROM deckhand.tasks WHERE state = 'queued'");
  for (const line of lines) {
    const pinnedTo = line["pinned_to"] as string | null;
    await (await dispatch.open({ agent: fromKey(String(line["agent"])), pinnedTo })).repair();
  }
}
