import { explanationToWire } from "../runtime/views/rollout-documents.ts";
import type { Invocation } from "./command.ts";
import { describeExplanation } from "./describe-rollout.ts";
import { chooseArrow } from "./rollout-view.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";
import { withRollouts } from "./with-rollouts.ts";
import { wrapLines } from "./wrap-text.ts";

/** `deckhand rollout explain TOOL` */
export function runRolloutExplain(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withRollouts(invocation, terminal, async (rollouts) => {
    const explanation = await rollouts.explain(invocation.positionals[0]!);
    if (invocation.has("json")) terminal.printJson(explanationToWire(explanation));
    else {
      const text = describeExplanation(explanation, { now: Date.now(), arrow: chooseArrow(terminal) });
      terminal.print(wrapLines(neutralizeText(text), terminal.width));
    }
  });
}
