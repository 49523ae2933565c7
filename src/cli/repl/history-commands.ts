import { countOf, formatTokens } from "../output/format-figures.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/compact [WHAT TO KEEP]`, `/compact undo` */
export async function compact({ agent, say, signal }: ReplContext, rest: string): Promise<void> {
  if (rest === "undo") {
    return say((await agent.undoCompaction()) ? "The summary is taken back." : "There is no summary to take back.");
  }
  say("Summarising the old turns …");
  const outcome = await agent.compact({ signal, ...(rest === "" ? {} : { focus: rest }) });
  if (outcome.state === "kept") return say(outcome.reason);
  if (outcome.state === "cancelled") return say("Stopped; nothing was changed.");
  const { tokensBefore, tokensAfter, pins } = outcome.body;
  say(
    `${countOf(outcome.messages, "message")} summarised, ${countOf(pins.length, "fact")} pinned: ` +
      `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens. /compact undo takes it back.`,
  );
  for (const problem of outcome.problems) say(problem);
}

/** `/undo [--force]` */
export async function undo({ agent, say }: ReplContext, rest: string): Promise<void> {
  if (rest !== "" && rest !== "--force") return say(`/undo takes nothing, or --force; got "${rest}".`);
  const report = await agent.undo({ force: rest === "--force" });
  if (!report) return say("There is nothing to undo: no turn here changed a file.");
  const { restored, removed, alreadyBack, skipped, notUndone, corrected } = report;
  const lines = [
    ...restored.map((path) => `put back   ${path}`),
    ...removed.map((path) => `removed    ${path}`),
    ...alreadyBack.map((path) => `unchanged  ${path}: it was as before already`),
    ...skipped.map(({ path, reason, forceHelps }) => `left alone ${path}: ${reason}${forceHelps ? forceHint : ""}`),
    ...notUndone.map((what) => `not undone ${what}`),
    ...corrected.map((version) => `corrected  ${version}: ${countsAsWrong}`),
  ];
  say(lines.join("\n"));
}

const countsAsWrong = "it answered before these changes were made; its trial counts this as a wrong result";
const forceHint = " (/undo --force does it all the same)";
