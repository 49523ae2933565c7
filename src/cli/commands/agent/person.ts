import { RefusedError } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What a tool call runs has this variable: an agent must not say yes to itself. */
export function isInsideCall({ env }: Pick<Terminal, "env">): boolean {
  return env["DECKHAND_EXECUTION"] !== undefined;
}

export function refuseInsideCall(terminal: Pick<Terminal, "env">): void {
  if (!isInsideCall(terminal)) return;
  throw new RefusedError(
    "Not allowed from inside a tool call: this decision is yours. Run the command in your own terminal.",
  );
}
