import { HttpError } from "../server/http-error.ts";
import type { Visitor } from "./visitors.ts";

/**
 * A program that asks for too much at once is told to wait, and can't take all connections from the others. Event streams
 * count. The person themselves is never told so.
 */
const mostUnderWay = 128;

/** What is returned counts a request, or throws an HttpError; what that returns is called when the request has ended. */
export function countUnderWay(): (visitor: Visitor) => () => void {
  const counts = new Map<string, number>();
  return ({ who, isOwner }) => {
    if (isOwner) return () => {};
    const before = counts.get(who) ?? 0;
    if (before >= mostUnderWay) {
      const sentence = `${who} has ${before} requests under way already; wait until one has ended.`;
      throw new HttpError("TOO_MANY", sentence, { "retry-after": "1" });
    }
    counts.set(who, before + 1);
    return () => {
      const left = counts.get(who)! - 1;
      if (left === 0) counts.delete(who);
      else counts.set(who, left);
    };
  };
}
