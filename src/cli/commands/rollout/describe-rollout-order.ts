import type { RolloutView } from "../../../tool-files/rollout/service/rollouts.ts";

export type RolloutOrder = "promote" | "hold" | "resume" | "rollback";

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
