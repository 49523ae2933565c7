import { clipText } from "../../../core/text.ts";
import { explanationToWire } from "../../../tool-files/rollout/service/rollout-documents.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeExplanation } from "./describe-rollout.ts";
import { chooseArrow } from "./view-rollout.ts";
import { neutralizeText, styleDiff, wrapLines } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { withRollouts } from "./with-rollouts.ts";

/** `deckhand rollout explain TOOL` */
export function runRolloutExplain(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withRollouts(invocation, terminal, async (rollouts) => {
    const explanation = await rollouts.explain(invocation.positionals[0]!);
    const isJson = invocation.has("json");
    const diff = await rollouts.diff(explanation.view.tool, isJson ? undefined : mostLines);
    if (isJson) {
      terminal.printJson({ ...explanationToWire(explanation), diff });
      return;
    }
    const text = describeExplanation(explanation, {
      now: Date.now(),
      arrow: chooseArrow(terminal),
      show: (each) => wrapLines(neutralizeText(each), terminal.width),
      change: diff === null ? [] : describeChange(diff, terminal.style),
    });
    terminal.print(text);
  });
}

const mostLines = 80;
const longestLine = 400;

/** What the version that is tried, or was rolled back, changes of the stable one. */
export function describeChange(diff: string, style: Terminal["style"]): string[] {
  if (diff === "") return ["The file itself is the same as that of stable: what it imports is another."];
  const lines = neutralizeText(diff).trimEnd().split("\n");
  return ["What it changes of stable:", "", ...lines.map((line) => styleDiff(clipText(line, longestLine), style))];
}
