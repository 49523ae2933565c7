import type { Rollouts, RolloutView } from "../../../tool-files/rollout/service/rollouts.ts";
import { viewToWire } from "../../../tool-files/rollout/service/rollout-documents.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeOrder, type RolloutOrder } from "./describe-rollout-order.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { withRuntime } from "../../open-runtime.ts";
import { refuseInsideCall } from "../agent/person.ts";
import { showReplay } from "../agent/show-replay.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { askRollouts } from "./with-rollouts.ts";

type RunOrder = (invocation: Invocation, terminal: Terminal) => Promise<number>;

/** `deckhand rollout promote TOOL` */
export const runRolloutPromote = order("promote", (rollouts, tool, invocation) =>
  rollouts.promote(tool, { to: invocation.has("all") ? "all" : "next", ...reasonOf(invocation) }),
);

/** `deckhand rollout hold TOOL` */
export const runRolloutHold = order("hold", (rollouts, tool, invocation) =>
  rollouts.hold(tool, invocation.value("reason") ?? "no reason given"),
);

/** `deckhand rollout resume TOOL` */
export const runRolloutResume = order("resume", (rollouts, tool) => rollouts.resume(tool));

/** `deckhand rollout rollback TOOL` */
export const runRolloutRollback = order("rollback", (rollouts, tool, invocation) =>
  rollouts.rollback(tool, {
    kind: invocation.has("hard") ? "hard" : "soft",
    ...reasonOf(invocation),
    ...(invocation.value("to") === undefined ? {} : { to: invocation.value("to")! }),
  }),
);

/** They are explicit, so they need no terminal to be asked on; but no call of an agent gives them. */
function order(
  name: RolloutOrder,
  give: (rollouts: Rollouts, tool: string, invocation: Invocation) => Promise<RolloutView>,
): RunOrder {
  return async (invocation, terminal) => {
    refuseInsideCall(terminal);
    const tool = invocation.positionals[0]!;
    return withRuntime(invocation, terminal, (runtime) =>
      askRollouts(runtime, tool, async (rollouts) => {
        const [before] = await rollouts.list(tool);
        const replay = showReplay(terminal);
        const stopShowing = runtime.on("*", replay.onEvent);
        const after = await give(rollouts, tool, invocation);
        stopShowing();
        replay.end();
        if (invocation.has("json")) terminal.printJson(viewToWire(after));
        else terminal.tell(describeOrder(name, before ?? after, after));
        // It was resumed, and is where it was: whoever goes on with a script is to know.
        return name === "resume" && after.status === "rolled_back" ? exitCode.failed : exitCode.done;
      }),
    );
  };
}

function reasonOf(invocation: Invocation): { readonly reason?: string } {
  const reason = invocation.value("reason");
  return reason === undefined ? {} : { reason };
}
