import type { SessionEntry } from "../../core/session.ts";
import { assembleConversation } from "../session/assemble-conversation.ts";
import type { CompactionBody } from "./compact.ts";
import { digestEntries } from "./digest.ts";
import { estimateMessage } from "./estimate-message.ts";
import { fitPins } from "./fit-pins.ts";
import { extractPins } from "./pins.ts";
import { findStandingCompaction } from "./standing-compaction.ts";

const mostTokens = 2_000;
const mostPinTokens = 4_000;

/**
 * All of the conversation as a short memo with its pins, made without a model: for a conversation that can't go on as it is,
 * because tools that it speaks of are others now. Null when nothing was said yet.
 */
export function writeMemo(branch: readonly SessionEntry[]): CompactionBody | null {
  const earlier = findStandingCompaction(branch);
  const covered = branch.slice(earlier?.firstKept ?? 0);
  if (!covered.some(({ type }) => type === "user" || type === "assistant")) return null;
  const body: CompactionBody = {
    type: "compaction",
    summary: digestEntries(covered, earlier?.compaction.summary ?? null, mostTokens),
    pins: fitPins(extractPins(covered, earlier?.compaction.pins ?? []), mostPinTokens),
    firstKeptId: null,
    tokensBefore: tokensOf(branch),
    tokensAfter: 0,
  };
  const entry: SessionEntry = { ...body, v: 1, id: "not yet", parentId: branch.at(-1)?.id ?? null, at: 0 };
  return { ...body, tokensAfter: tokensOf([...branch, entry]) };
}

function tokensOf(entries: readonly SessionEntry[]): number {
  return assembleConversation(entries).messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}
