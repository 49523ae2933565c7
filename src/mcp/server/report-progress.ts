import type { ServerContext } from "@modelcontextprotocol/server";
import type { Clock } from "../../core/clock.ts";
import { clipText } from "../../core/text.ts";
import type { Progress } from "../../core/tool.ts";

/** A command can print a thousand lines a second; nobody reads that many notifications. */
const leastMs = 200;
const longestMessage = 300;

/** Passes progress on to a client that gave a token for it, and to no other. */
export function createProgressReporter({ mcpReq }: ServerContext, clock: Clock): (update: Progress) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let reported = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (update) => {
    const now = clock.monotonic();
    if (mcpReq.signal.aborted || now - toldAt < leastMs) return;
    toldAt = now;
    // It has to grow, whatever a tool says of itself.
    reported = update.done !== undefined && update.done > reported ? update.done : reported + 1;
    const message = messageOf(update);
    const params = {
      progressToken,
      progress: reported,
      ...(update.total !== undefined && update.total >= reported ? { total: update.total } : {}),
      ...(message === "" ? {} : { message }),
    };
    // Whoever does not listen any more misses nothing.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

function messageOf({ message, output }: Progress): string {
  const text = message ?? output?.trimEnd().split("\n").at(-1) ?? "";
  return clipText(text, longestMessage);
}
