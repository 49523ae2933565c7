import { executionToWire } from "../core/wire.ts";
import type { Invocation } from "./command.ts";
import { describeExecution } from "./describe-execution.ts";
import { exitCode } from "./exit-code.ts";
import { findExecution } from "./find-execution.ts";
import { openRuntime } from "./open-runtime.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

/** `deckhand calls show ID` */
export async function runCallsShow(invocation: Invocation, terminal: Terminal): Promise<number> {
  const given = invocation.positionals[0]!;
  const runtime = await openRuntime(invocation, terminal);
  try {
    const execution = await findExecution(runtime, given);
    if (!execution) {
      terminal.tell(`deckhand: There is no call "${given}" in ${runtime.workdir}. See deckhand calls.`);
      return exitCode.failed;
    }
    if (invocation.has("json")) terminal.printJson(executionToWire(execution));
    else terminal.print(neutralizeText(describeExecution(execution, Date.now())));
    return exitCode.done;
  } finally {
    await runtime.close();
  }
}
