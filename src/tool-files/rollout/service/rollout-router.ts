import type { RouteCall } from "../../../core/call.ts";
import type { Clock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { RolloutStore } from "../../../core/stores.ts";
import type { Tool, ToolContext, ToolResult } from "../../../core/tool.ts";
import { createCanaryRouter } from "../release/canary-router.ts";
import type { ToolRelease, Trial } from "../release/tool-release.ts";
import type { ToolVersionRegistry } from "../release/tool-version-registry.ts";

/** A call of a tool of which another version is tried. */
export interface RoutedRun {
  readonly rolloutId: string;
  /** Of the arm that it was given to. */
  readonly version: string;
  readonly stable: string;
  readonly isCanary: boolean;
  readonly trial: Trial | null;
  /** Where it may be run again later, on stable, because that changes nothing: with what. Null: it may not, or never began. */
  readonly repeat: Repeat | null;
}

/** What to run a call again with. */
export interface Repeat {
  readonly fileName: string;
  /** Of the stable content. */
  readonly hash: string;
  /** As the tool got it: the record's may be masked, or cut. */
  readonly input: unknown;
}

export interface RolloutRouter {
  readonly route: RouteCall;
  /** Once: it is forgotten then. */
  takeRun(executionId: string): RoutedRun | undefined;
  /** Canary calls that are under way here. */
  running(rolloutId: string): number;
}

/** Step 5 for tools that come from files. Whatever is wrong with the rollouts, the stable version runs. */
export function createRolloutRouter(parts: {
  readonly store: RolloutStore;
  readonly registry: ToolVersionRegistry;
  readonly clock: Clock;
  readonly isFromFile: (tool: Tool) => boolean;
  readonly openVersion: (release: ToolRelease, hash: string) => Tool | undefined;
  /** A tool file by its name. */
  readonly findTool: (name: string) => Tool | undefined;
}): RolloutRouter {
  const { store, registry, clock } = parts;
  const router = createCanaryRouter({ findMark: (rolloutId, key) => store.findMark(rolloutId, key) });
  const runs = new Map<string, RoutedRun>();

  function note(executionId: string, trial: Trial): void {
    const run = runs.get(executionId);
    if (run) runs.set(executionId, { ...run, trial });
  }

  /**
   * An idempotent tool may be repeated right after; much later it would undo what came since. So what a call that ran into its
   * limit would do on stable is only looked at where nothing is changed.
   */
  function noteInput(tried: Tool, { fileName, stable }: ToolRelease): Tool {
    return {
      ...tried,
      run(input, context) {
        const run = runs.get(context.executionId);
        if (run) runs.set(context.executionId, { ...run, repeat: { fileName, hash: stable.hash, input } });
        return tried.run(input, context);
      },
    };
  }

  const route: RouteCall = (tool, execution) => {
    if (tool.version === "builtin" || !parts.isFromFile(tool)) return { tool, route: "stable" };
    try {
      const release = registry.find(tool.name);
      const rollout = release?.rollout;
      if (!release || rollout?.status !== "running") return { tool, route: "stable" };
      const chosen = router.choose(rollout, execution);
      const canary = chosen.route === "canary" ? parts.openVersion(release, rollout.hash) : undefined;
      const isCanary = canary !== undefined;
      const arm = canary ?? tool;
      // A person may change what a right result is; what is tried may not.
      const quality = rollout.origin === "person" ? arm.quality : tool.quality;
      const judge = quality?.judge === undefined ? undefined : parts.findTool(quality.judge);
      runs.set(execution.id, {
        rolloutId: rollout.id,
        version: arm.version,
        stable: tool.version,
        isCanary,
        trial: null,
        repeat: null,
      });
      const tried = tryVersion({
        tool: arm,
        stable: tool,
        verifies: rollout.verifies,
        checkOutput: quality?.checkOutput,
        ...(judge?.traits.readOnly && { judge }),
        clock,
        note,
      });
      return {
        tool: rollout.verifies && tool.traits.readOnly ? noteInput(tried, release) : tried,
        route: isCanary ? "canary" : "stable",
        bucket: chosen.bucket,
      };
    } catch {
      return { tool, route: "stable" };
    }
  };

  return {
    route,
    takeRun(executionId) {
      const run = runs.get(executionId);
      runs.delete(executionId);
      return run;
    },
    running: (rolloutId) => [...runs.values()].filter((run) => run.isCanary && run.rolloutId === rolloutId).length,
  };
}

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
