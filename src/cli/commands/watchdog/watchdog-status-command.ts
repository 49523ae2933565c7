import { toWire } from "../../../core/wire.ts";
import { viewWatchdog } from "../../../watchdog/view-watchdog.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeWatchdog } from "./describe-watchdog.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { locateWatchdog } from "./watchdog-place.ts";

/** `deckhand watchdog status`: 0 when one runs here, 1 when none does. */
export async function runWatchdogStatus(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { settings } = locateWatchdog(invocation, terminal.env);
  const view = viewWatchdog(settings);
  if (invocation.has("json")) terminal.printJson(toWire(view));
  else terminal.print(neutralizeText(`${describeWatchdog(view, Date.now())}\n`));
  return view.pid === null ? exitCode.failed : exitCode.done;
}
