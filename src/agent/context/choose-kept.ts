import type { Message } from "../../core/message.ts";
import type { Conversation } from "../../core/session.ts";
import { estimateMessage } from "./estimate-message.ts";

/**
 * Where the part begins that a compaction leaves as it is: the index of its first message, or the number of messages when
 * none stays. Whole turns where they fit; a turn too long for that is cut where the model began a reply, so that a call
 * and its result are never parted.
 */
export function chooseKept({ messages }: Conversation, keepTokens: number): number {
  const sizes = messages.map(estimateMessage);
  const fits = (from: number): boolean => sumFrom(sizes, from) <= keepTokens;
  const turn = messages.findIndex((message, at) => message.role === "user" && fits(at));
  const reply = messages.findIndex((message, at) => message.role !== "tool" && fits(at));
  // A short last turn behind a long one would leave the model without what it just did.
  if (turn !== -1 && (turn === reply || sumFrom(sizes, turn) >= keepTokens / 4)) return turn;
  if (reply !== -1) return reply;
  return isUnanswered(messages) && sumFrom(sizes, messages.length - 1) <= keepTokens * 3
    ? messages.length - 1
    : messages.length;
}

/** Where the last turn begins, with what the person said in it. */
export function startOfLastTurn({ messages }: Conversation): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
}

/** The person waits for an answer to exactly these words. */
function isUnanswered(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === "user";
}

function sumFrom(sizes: readonly number[], from: number): number {
  let sum = 0;
  for (let at = from; at < sizes.length; at++) sum += sizes[at]!;
  return sum;
}
