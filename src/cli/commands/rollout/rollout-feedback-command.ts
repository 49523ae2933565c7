import type { BadMark } from "../../../tool-files/rollout/service/rollouts.ts";
import { viewToWire } from "../../../tool-files/rollout/service/rollout-documents.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { withRuntime } from "../../open-runtime.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { askRollouts } from "./with-rollouts.ts";

/** `deckhand rollout feedback TOOL --bad CALL` */
export async function runRolloutFeedback(invocation: Invocation, terminal: Terminal): Promise<number> {
  refuseInsideCall(terminal);
  const tool = invocation.positionals[0]!;
  const id = invocation.value("bad");
  if (id === undefined) throw new UsageError("Which call was bad? Name it with --bad CALL.");
  return withRuntime(invocation, terminal, async (runtime) => {
    const call = await runtime.get(id);
    if (!call) throw new UsageError(`There is no call "${id}".`);
    const { counted, view } = await askRollouts(runtime, tool, (rollouts) =>
      rollouts.markBad(tool, call, invocation.value("reason")),
    );
    if (invocation.has("json")) terminal.printJson({ counted, view: viewToWire(view) });
    else terminal.tell(describeMark({ counted, view }));
    return exitCode.done;
  });
}

export function describeMark({ counted, view }: BadMark): string {
  return `${counts[counted]} ${view.tool}: ${view.reason}`;
}

const counts = {
  counted: "It counts as a failure of the version that ran it.",
  already: "It, or its conversation, counts as failed already: nothing was counted again.",
  not_tried: "No rollout that is running counts it: it is kept for `deckhand improve` only.",
} as const;
