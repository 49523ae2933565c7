import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Tool, ToolContext, ToolResult } from "../../core/tool.ts";
import type { Trial } from "./observed-outcome.ts";

export interface TriedTool {
  /** Of this arm. */
  readonly tool: Tool;
  readonly stable: Tool;
  /** Whether a failed call is run again on the stable version. */
  readonly verifies: boolean;
  readonly clock: Clock;
  readonly note: (executionId: string, trial: Trial) => void;
}

/**
 * A version while it is on trial: how long it took and how it failed is noted for this version alone. Where twice is the
 * same as once, a failed call is run again on stable, in both arms: whoever asked gets an answer, and both are judged alike.
 */
export function tryVersion({ tool, stable, verifies, clock, note }: TriedTool): Tool {
  return {
    ...tool,
    async run(input, context) {
      let begin = clock.monotonic();
      let isEntered = true;
      const first = await attempt(tool, input, {
        ...context,
        notEntered: () => void (isEntered = false),
        // A version that gets few calls starts its process for more of them.
        began: () => void (begin = clock.monotonic()),
      });
      const latencyMs = clock.monotonic() - begin;
      const { failure } = first;
      const trial = (onStable: Trial["onStable"]): void => note(context.executionId, { latencyMs, failure, onStable });
      if (!failure || !verifies || context.signal.aborted) {
        trial(null);
        if (!isEntered) context.notEntered?.();
        return first.give();
      }
      context.ranAs?.(stable.version);
      const again = await attempt(stable, input, context);
      // Cut short by its limit or by a person: that says nothing about stable.
      trial(context.signal.aborted ? null : again.failure ? "failed" : "ok");
      return again.give();
    },
  };
}

interface Attempt {
  readonly failure: Trial["failure"];
  /** What it returned, or throws what it threw. */
  readonly give: () => ToolResult;
}

async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<Attempt> {
  try {
    const result = await tool.run(input, context);
    if (result.ok) return { failure: null, give: () => result };
    const { error, errorType = null, output = "" } = result;
    return { failure: { error, errorType, output }, give: () => result };
  } catch (thrown) {
    const failure = { error: messageOf(thrown), errorType: "threw", output: "" };
    return {
      failure,
      give: () => {
        throw thrown;
      },
    };
  }
}
