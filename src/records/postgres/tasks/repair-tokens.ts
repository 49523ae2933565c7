import { fromKey } from "../../text-key.ts";
import type { StoreParts } from "./store-parts.ts";

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
