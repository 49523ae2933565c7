import { createFailureGuard, type FailureGuard } from "./failure-guard.ts";
import { createTally, type Tally } from "./statistics.ts";

/** What the engine remembers of one conversation. */
export interface Conversation {
  readonly guard: FailureGuard;
  readonly tally: Tally;
  /** How many of its calls are not counted yet. */
  underWay: number;
}

export interface Conversations {
  /** The conversation, made when it is new. */
  of(conversationId: string | null): Conversation;
  find(conversationId: string | null): Conversation | undefined;
}

/** A daemon sees many conversations; the one that was quiet the longest is forgotten first. */
const remembered = 1000;

export function createConversations(): Conversations {
  const byId = new Map<string | null, Conversation>();
  let last: { readonly id: string | null; readonly conversation: Conversation } | undefined;

  function forgetOldest(): void {
    for (const [id, { underWay }] of byId) {
      if (underWay > 0) continue;
      byId.delete(id);
      return;
    }
  }

  return {
    of(conversationId) {
      if (last?.id === conversationId) return last.conversation;
      const conversation = byId.get(conversationId) ?? {
        guard: createFailureGuard(),
        tally: createTally(),
        underWay: 0,
      };
      if (!byId.delete(conversationId) && byId.size >= remembered) forgetOldest();
      byId.set(conversationId, conversation);
      last = { id: conversationId, conversation };
      return conversation;
    },
    find: (conversationId) => byId.get(conversationId),
  };
}
