import type { Clock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Tool, ToolContext, ToolResult } from "../../../core/tool.ts";
import type { Trial } from "./observed-outcome.ts";

export interface TriedTool {
  /** Of this arm. */
  readonly tool: Tool;
  readonly stable: Tool;
  /** Whether a failed call is run again on the stable version. */
  readonly verifies: boolean;
  /** What is wrong with the form of an output; null when nothing is. Left out: any form is right. */
  readonly checkOutput?: NonNullable<Tool["quality"]>["checkOutput"];
  /** Judges results, where the tool names one. */
  readonly judge?: Tool;
  readonly clock: Clock;
  readonly note: (executionId: string, trial: Trial) => void;
}

/**
 * A version while it is on trial: how long it took and how it failed is noted for this version alone. Where twice is the
 * same as once, a failed call is run again on stable, in both arms: whoever asked gets an answer, and both are judged alike.
 */
export function tryVersion(tried: TriedTool): Tool {
  const { tool, stable, verifies, clock, note } = tried;
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
      const trial = (onStable: Trial["onStable"], found: Wrong = {}): void =>
        note(context.executionId, { latencyMs, failure, onStable, ...found });
      if (!failure || !verifies || context.signal.aborted) {
        trial(null, failure ? {} : await findWrong(tried, { input, result: first.give(), context }));
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

const saysNothing = ["threw", "crashed", "memory", "timeout", "invalid_result", "invalid_input", "cancelled", "access"];

type Wrong = Pick<Trial, "wrong" | "wrongBy">;

interface Answered {
  readonly input: unknown;
  readonly result: ToolResult;
  readonly context: ToolContext;
}

/** What is wrong with a result that succeeded: its form, or what the judge says; empty when nothing is known to be. */
async function findWrong(tried: TriedTool, answered: Answered): Promise<Wrong> {
  const problem = tried.checkOutput?.(answered.result.output ?? "") ?? null;
  if (problem !== null) return { wrong: problem, wrongBy: "form" };
  if (!tried.judge || answered.context.signal.aborted) return {};
  const verdict = await askJudge(tried.judge, tried, answered);
  return verdict === null ? {} : { wrong: `Judged bad by ${tried.judge.name}: ${verdict}`, wrongBy: "judge" };
}

/** The caller waits for the judge: no longer than this. */
const maxJudgeMs = 10_000;

/** Why the result is bad; null when it is not, or when the judge broke down or did not come to its end. */
async function askJudge(judge: Tool, { tool, clock }: TriedTool, answered: Answered): Promise<string | null> {
  const { input, result, context } = answered;
  const { signal } = context;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const limitMs = Math.min(judge.timeoutMs ?? maxJudgeMs, maxJudgeMs);
  const cancel = clock.after(limitMs, () => stop.abort(new Error("It took too long.")));
  try {
    const about = { tool: tool.name, input, output: result.output ?? "" };
    const { failure } = await attempt(judge, about, { ...context, ...apart, signal: stop.signal });
    const isVerdict = failure !== null && !stop.signal.aborted && !saysNothing.includes(failure.errorType ?? "");
    return isVerdict ? failure.error : null;
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

/** What a judge reports of its own run is not about the call: the record of the call must not have it. */
const apart = {
  progress: () => undefined,
  ask: async () => ({ answered: false, reason: "nobody" }) as const,
  stopped: () => undefined,
  sandboxed: () => undefined,
  began: () => undefined,
  ranAs: () => undefined,
  notEntered: () => undefined,
} satisfies Partial<ToolContext>;
