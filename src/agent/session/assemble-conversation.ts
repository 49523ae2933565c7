import type { Conversation, Session, SessionEntry } from "../../core/session.ts";
import { createConversationBuilder, type ConversationBuilder } from "./conversation-builder.ts";
import type { Compaction } from "./summary-message.ts";

/** The conversation as the model gets it, from the entries of a branch. Valid for any provider, whatever is missing. */
export function assembleConversation(branch: readonly SessionEntry[]): Conversation {
  return build(branch).read();
}

export interface ConversationView {
  read(): Conversation;
}

/** The same for a session that grows: each entry is looked at once, and all of them again only after a compaction. */
export function createConversationView({ branch }: Pick<Session, "branch">): ConversationView {
  let builder = createConversationBuilder();
  let seen = 0;
  return {
    read() {
      const fresh = seen === 0 ? branch : branch.slice(seen);
      if (fresh.some(changesWhatIsCovered)) builder = build(branch);
      else for (const entry of fresh) builder.add(entry);
      seen = branch.length;
      return builder.read();
    },
  };
}

function build(branch: readonly SessionEntry[]): ConversationBuilder {
  const builder = createConversationBuilder();
  const covered = findCovered(branch);
  if (covered) builder.addSummary(covered.compaction);
  for (const entry of covered ? branch.slice(covered.firstKept) : branch) builder.add(entry);
  return builder;
}

function changesWhatIsCovered({ type }: SessionEntry): boolean {
  return type === "compaction" || type === "compaction_undone";
}

/** The last compaction that stands covers those before it. One whose first kept entry is lost covers nothing. */
function findCovered(branch: readonly SessionEntry[]): { compaction: Compaction; firstKept: number } | undefined {
  const undone = new Set(branch.flatMap((entry) => (entry.type === "compaction_undone" ? [entry.compactionId] : [])));
  for (let at = branch.length - 1; at >= 0; at--) {
    const entry = branch[at]!;
    if (entry.type !== "compaction" || undone.has(entry.id)) continue;
    const { firstKeptId } = entry;
    const firstKept = firstKeptId === null ? at : branch.findIndex(({ id }) => id === firstKeptId);
    if (firstKept !== -1 && firstKept <= at) return { compaction: entry, firstKept };
  }
  return undefined;
}
