import type { InboxEntry } from "../../core/approval-inbox-port.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** All that this room needs of the inbox: it can't decide on an approval. */
type InboxDesk = Pick<Runtime["inbox"], "list" | "get" | "answer">;

export interface InboxToolParts {
  /** Opened when a call first needs it. */
  readonly inbox: () => Promise<InboxDesk>;
}

/** Why a client of this door may not answer it, in one sentence; undefined where it may. */
export function whyNotHere({ id, kind, origin }: Pick<InboxEntry, "id" | "kind" | "origin">): string | undefined {
  if (kind === "approval") {
    return `This is an approval, which only a person gives: in the dashboard, or by \`deckhand inbox approve ${id}\` in a terminal.`;
  }
  // Whoever asks would answer itself.
  if (origin === null || origin.door === "mcp") {
    return `This was asked by a call that came by MCP itself, so only a person answers it: in the dashboard, or by \`deckhand inbox answer ${id}\` in a terminal.`;
  }
  return undefined;
}
