import { codeOf } from "../../../core/errors.ts";
import { nearest } from "../../../core/text.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import type { Rollouts } from "../../../tool-files/rollout/service/rollouts.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { withRuntime } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** For commands about rollouts, whose first word, if there is one, names a tool. */
export function withRollouts(
  invocation: Invocation,
  terminal: Terminal,
  work: (rollouts: Rollouts) => Promise<void>,
): Promise<number> {
  return withRuntime(invocation, terminal, async (runtime) => {
    await askRollouts(runtime, invocation.positionals[0], work);
    return exitCode.done;
  });
}

/** An unknown tool is wrong use, told with the names that may have been meant. */
export async function askRollouts<Answer>(
  runtime: Pick<Runtime, "tools" | "rollouts">,
  tool: string | undefined,
  ask: (rollouts: Rollouts) => Promise<Answer>,
): Promise<Answer> {
  const rollouts = await runtime.rollouts();
  try {
    return await ask(rollouts);
  } catch (thrown) {
    if (codeOf(thrown) !== "UNKNOWN_TOOL" || tool === undefined) throw thrown;
    const known = (await rollouts.list()).map((view) => view.tool);
    throw new UsageError(explainUnknown(tool, known, runtime.tools.canonicalName(tool)), { cause: thrown });
  }
}

function explainUnknown(name: string, known: readonly string[], canonical: string | undefined): string {
  if (canonical !== undefined) return `${canonical} does not come from a tool file, so it has no versions to try.`;
  const meant = nearest(name, known).join(" or ");
  const hint = meant ? `Did you mean ${meant}?` : "See deckhand rollout for all of them.";
  return `There is no tool file named "${name}". ${hint}`;
}
