import { RefusedError } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** What a tool call runs has this variable: an agent must not say yes to itself. */
export function refuseInsideCall({ env }: Pick<Terminal, "env">): void {
  if (env["DECKHAND_EXECUTION"] === undefined) return;
  throw new RefusedError(
    "This is a person's decision, and it was called from inside a tool call; run it in a terminal of your own.",
  );
}
