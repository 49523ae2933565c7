import { userInfo } from "node:os";
import { RefusedError } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** What a tool call runs has this variable: an agent must not say yes to itself. */
export function refuseInsideCall({ env }: Pick<Terminal, "env">): void {
  if (env["DECKHAND_EXECUTION"] === undefined) return;
  throw new RefusedError(
    "This is a person's decision, and it was called from inside a tool call; run it in a terminal of your own.",
  );
}

/** How a person is called in the records. */
export function personName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list, as in many containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
