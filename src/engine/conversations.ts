import { createFailureGuard, type FailureGuard } from "./failure-guard.ts";
import { createTally, type Tally } from "./statistics.ts";

/** What the engine remembers of one conversation. */
export interface Conversation {
  readonly guard: FailureGuard;
  readonly tally: Tally;
}

/** A daemon sees many conversations; the one that was quiet the longest is forgotten first. */
const remembered = 1000;

export function createConversations(): { of(conversationId: string | null): Conversation } {
  const byId = new Map<string | null, Conversation>();
  let last: { id: string | null; conversation: Conversation } | undefined;
  return {
    of(conversationId) {
      if (last?.id === conversationId) return last.conversation;
      const conversation = byId.get(conversationId) ?? { guard: createFailureGuard(), tally: createTally() };
      byId.delete(conversationId);
      byId.set(conversationId, conversation);
      if (byId.size > remembered) byId.delete(byId.keys().next().value!);
      last = { id: conversationId, conversation };
      return conversation;
    },
  };
}
