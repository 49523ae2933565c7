import { remarkOn, renderRollouts } from "../rollout-status-command.ts";
import { askRollouts } from "../with-rollouts.ts";
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
