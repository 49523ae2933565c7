import type { Execution } from "../../core/call.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import { describeMark } from "../commands/rollout/rollout-feedback-command.ts";
import { remarkOn, renderRollouts } from "../commands/rollout/rollout-status-command.ts";
import { askRollouts } from "../commands/rollout/with-rollouts.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/rollout [TOOL]`: the same as `deckhand rollout status`. */
export async function showRollouts({ runtime, terminal, show, say }: ReplContext, rest: string): Promise<void> {
  await runtime.prepareTools();
  const tool = rest === "" ? undefined : rest;
  const views = await askRollouts(runtime, tool, (rollouts) => rollouts.list(tool));
  if (views.length > 0) show(renderRollouts(views, terminal).trimEnd());
  const remark = tool === undefined ? remarkOn(views) : undefined;
  if (remark !== undefined) say(remark);
}

/** `/feedback bad [REASON]`: about the last call of a tool file in this conversation. */
export async function giveFeedbackHere({ runtime, calls, say }: ReplContext, rest: string): Promise<void> {
  const [, verdict = "", reason = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (verdict !== "bad") return say("/feedback bad [REASON] marks the last result of a tool file as bad.");
  const call = await findLastResult(runtime, calls);
  if (!call) return say("No call of a tool file has succeeded in this conversation: there is nothing to mark.");
  const tool = call.toolId!;
  const mark = await askRollouts(runtime, tool, (rollouts) =>
    rollouts.markBad(tool, call, reason === "" ? undefined : reason),
  );
  say(`The last result of a tool file here is ${call.id}. ${describeMark(mark)}`);
}

async function findLastResult(runtime: Runtime, calls: ReplContext["calls"]): Promise<Execution | undefined> {
  await runtime.prepareTools();
  const fromFiles = new Set(runtime.customTools().files.flatMap(({ tool }) => tool ?? []));
  for (const { executionId } of calls.toReversed()) {
    const call = await runtime.get(executionId);
    if (call?.state === "completed" && call.toolId !== null && fromFiles.has(call.toolId)) return call;
  }
  return undefined;
}
