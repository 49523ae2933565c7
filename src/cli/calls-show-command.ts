import type { Invocation } from "./command.ts";
import { describeExecution } from "./describe-execution.ts";
import { exitCode } from "./exit-code.ts";
import { findExecution } from "./find-execution.ts";
import { withRuntime } from "./open-runtime.ts";
import { printableExecution } from "../runtime/views/execution-view.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

/** `deckhand calls show ID` */
export async function runCallsShow(invocation: Invocation, terminal: Terminal): Promise<number> {
  const given = invocation.positionals[0]!;
  return withRuntime(invocation, terminal, async (runtime) => {
    const execution = await findExecution(runtime, given);
    if (!execution) {
      // Records that could not be read may have held it.
      if (runtime.warnings.length === 0)
        terminal.tell(`deckhand: There is no call "${given}" in ${runtime.workdir}. See deckhand calls.`);
      return exitCode.failed;
    }
    if (invocation.has("json")) terminal.printJson(printableExecution(execution));
    else terminal.print(neutralizeText(describeExecution(execution, Date.now())));
    return exitCode.done;
  });
}
