import type { Clock } from "../../../core/clock.ts";
import type { RouteCall } from "../../../core/route-call.ts";
import type { RolloutStore } from "../../../core/rollout-store.ts";
import type { Tool } from "../../../core/tool.ts";
import { createCanaryRouter } from "../release/canary-router.ts";
import type { Trial } from "../release/observed-outcome.ts";
import type { ToolVersionRegistry } from "../release/tool-version-registry.ts";
import type { ToolRelease } from "../release/tool-release.ts";
import { tryVersion } from "../release/try-version.ts";

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
