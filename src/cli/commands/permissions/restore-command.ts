import { codeOf, messageOf } from "../../../core/errors.ts";
import { locateFolders } from "../../../config/folders.ts";
import { listNewNames, settleNewNames, type NewName } from "../../../permissions/trust/new-names.ts";
import { toWire } from "../../../core/wire.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand restore [PATH…]` */
export async function runRestore(invocation: Invocation, terminal: Terminal): Promise<number> {
  const folders = locateFolders(chooseWorkdir(invocation, terminal.env), terminal.env);
  const names = listNewNames(folders);
  const wanted = invocation.positionals;
  if (wanted.length === 0) {
    if (invocation.has("json")) terminal.printJson(toWire(names));
    else terminal.print(names.length === 0 ? "There is nothing to restore.\n" : names.map(describe).join(""));
    return exitCode.done;
  }
  refuseInsideCall(terminal);
  const unknown = wanted.find((path) => !names.some((each) => each.path === path));
  if (unknown !== undefined) {
    throw new UsageError(`"${unknown}" is not among the new names: \`deckhand restore\` lists them.`);
  }
  try {
    const settled = settleNewNames(folders, wanted);
    if (invocation.has("json")) terminal.printJson(toWire(settled));
    else terminal.print(settled.map(describeSettled).join(""));
    return exitCode.done;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    terminal.tell(`deckhand: It can't be put back: ${messageOf(thrown)}.`);
    return exitCode.failed;
  }
}

function describe({ path, callId, at, movedTo }: NewName): string {
  const where = movedTo === null ? "it is in place" : `moved to ${movedTo}`;
  return `${path}  made while call ${callId} ran, ${at}; ${where}\n`;
}

function describeSettled({ path, movedTo }: NewName): string {
  return movedTo === null ? `${path} stays, and is not reported any more.\n` : `${path} is back in place.\n`;
}
