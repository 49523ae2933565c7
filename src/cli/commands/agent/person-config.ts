import type { RuntimeConfig } from "../../../runtime/create-runtime.ts";
import { approveOnTerminal } from "./approve-on-terminal.ts";
import type { Invocation } from "../../parser/command.ts";
import { userName } from "../../../config/user-name.ts";
import { refuseInsideCall } from "./person.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** How this command reaches the person: on the terminal, by what they said in advance, or through the inbox. */
export function personConfig(invocation: Invocation, terminal: Terminal): RuntimeConfig {
  const confirmed = invocation.values("yes-danger");
  if (confirmed.length > 0) refuseInsideCall(terminal);
  if (invocation.has("inbox")) return { confirmed, settings: { permissions: { unattended: "inbox" } } };
  const approve = approveOnTerminal(terminal, userName());
  return approve ? { confirmed, approve } : { confirmed };
}
