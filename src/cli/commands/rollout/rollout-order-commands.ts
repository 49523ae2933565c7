import { viewToWire } from "../../../tool-files/rollout/service/rollout-documents.ts";
import type { Rollouts, RolloutView } from "../../../tool-files/rollout/service/rollouts.ts";
import { withRuntime } from "../../open-runtime.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { showReplay } from "../agent/show-replay.ts";
import { askRollouts } from "./with-rollouts.ts";

type RolloutOrder = "promote" | "hold" | "resume" | "rollback";

/** What an order has changed, in one sentence. */
export function describeOrder(order: RolloutOrder, before: RolloutView, after: RolloutView): string {
  return `${after.tool}: ${describe[order](before, after)}`;
}

/** Reasons of replayed calls end as their error does. */
function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const describe: Readonly<Record<RolloutOrder, (before: RolloutView, after: RolloutView) => string>> = {
  promote(before, { canary, percent, stable, status, reason }) {
    if (status === "none") return `everybody gets ${stable} now.`;
    if (status !== "running" || percent === before.percent) return reason;
    return `${percent} % of the conversations get ${canary} now, ${before.percent} % did before.`;
  },
  hold(_before, { canary, percent, status }) {
    if (status !== "running") return `${canary} goes no further until you resume it.`;
    return `${canary} stays at ${percent} % until you resume it; what is bad is still rolled back.`;
  },
  resume(before, { canary, percent, status, reason, tool }) {
    if (status === "rolled_back") {
      const why = endSentence(reason.replace(/^Rolled back/, "rolled back"));
      return `${canary} was tried once more, and again ${why} Correct the file, or \`deckhand rollout promote ${tool} --all\` gives it to everybody as it is.`;
    }
    if (status === "none") {
      if (before.isPinned) return "other contents get out again.";
      return "what was rolled back may be used again; the next use of the tool looks at what its file has now.";
    }
    if (status !== "running") return `${canary} is ${status.replace("_", " ")}: ${reason}`;
    if (before.status === "running") return `${canary} goes on from ${percent} %.`;
    return `${canary} begins again with ${percent} % of the conversations.`;
  },
  rollback(before, { tool, stable, isPinned }) {
    const gone = before.stable === stable ? before.canary : before.stable;
    const until = isPinned
      ? `${gone} is disabled, and no other content gets out before \`deckhand rollout resume ${tool}\``
      : `${gone} stays out until you resume it`;
    return `everybody gets ${stable} from the next call on; ${until}.`;
  },
};

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
