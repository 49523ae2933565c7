import type { InboxEntry } from "../../../core/approval.ts";
import { isId } from "../../../core/ids.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import { UsageError } from "../../parser/command.ts";

const shortestPart = 4;

/** The entry with this id, or the only one whose id begins or ends like this. Throws a UsageError for none and for several. */
export async function findInboxEntry({ inbox, workdir }: Runtime, given: string): Promise<InboxEntry> {
  const id = given.trim().toLowerCase();
  const whole = isId("ask", id) ? id : `ask_${id}`;
  if (isId("ask", whole)) {
    const entry = await inbox.get(whole);
    if (entry) return entry;
  }
  const part = id.replace(/^ask_/, "");
  if (part.length < shortestPart) {
    throw new UsageError(`"${given}" is too short for an id: give at least ${shortestPart} characters of its end.`);
  }
  const entries = await inbox.list({ limit: 1000 });
  const found = entries.filter((entry) => entry.id.endsWith(part) || entry.id.startsWith(`ask_${part}`));
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new UsageError(`There is nothing "${given}" in the inbox of ${workdir}. See deckhand inbox.`);
  const ids = found.slice(0, 3).map((entry) => entry.id);
  throw new UsageError(`"${given}" could be ${found.length} entries: ${ids.join(", ")}. Give more of the id.`);
}
