import type { Invocation } from "../../parser/command.ts";
import { describeEntry } from "./describe-log-entry.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { findInLog, openLog } from "./open-log-command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand log show ID` */
export async function runLogShow(invocation: Invocation, terminal: Terminal): Promise<number> {
  const log = openLog(invocation, terminal);
  const found = await findInLog(log, invocation.positionals[0]!, terminal);
  if (!found) return exitCode.failed;
  if (invocation.has("json")) terminal.printJson(found.entries.map(({ entry }) => entry));
  else terminal.print(found.entries.map(({ entry }) => describeEntry(entry)).join("\n"));
  const broken = found.entries.filter(({ isIntact }) => !isIntact);
  if (broken.length > 0) {
    terminal.tell(`deckhand: ${broken.length} of these lines do not fit their hash: see deckhand log verify.`);
  }
  return broken.length > 0 ? exitCode.failed : exitCode.done;
}
