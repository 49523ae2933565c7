import { createTrust } from "../../runtime/open-trust.ts";
import { findWaiting, grantWaiting, isNothing, renderWaiting } from "../offer-trust.ts";
import { askQuestion } from "./input/question-panel.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/trust`: shows what waits for trust or approval here, and asks. */
export async function trustHere({ runtime, terminal, input, say, show, signal }: ReplContext): Promise<void> {
  const trust = createTrust(runtime.workdir, terminal.env);
  const waiting = findWaiting(trust);
  if (isNothing(waiting)) {
    return say("There is nothing here that still needs your trust.");
  }
  show(renderWaiting(trust, waiting, { style: terminal.styleError, maxLines: 60 }));
  const options = ["Trust them as they are now", "Leave them"];
  const answer = await askQuestion(input, { text: "These can run code or widen what is allowed.", options }, signal);
  if (!answer.answered || answer.text !== options[0]) return say("Nothing was trusted.");
  const paths = grantWaiting(trust, waiting);
  await runtime.prepareTools();
  const isSetting = paths.some((path) => path === "deckhand.json" || path === ".mcp.json");
  say(`Trusted: ${paths.join(", ")}.${isSetting ? " Settings count from the next start on." : ""}`);
}
