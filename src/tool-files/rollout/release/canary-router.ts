import { createHash } from "node:crypto";
import type { RolloutMark } from "../../../core/stores.ts";
import type { Execution, Route } from "../../../core/call.ts";
import type { LaneName, Rollout } from "./tool-release.ts";

export interface ChosenRoute {
  readonly route: Route;
  readonly lane: LaneName;
  /** Where this conversation falls, from 0 to 9,999; null where nothing is tried. */
  readonly bucket: number | null;
}

export interface CanaryRouter {
  /** The same answer for the same conversation; a larger share only adds conversations. */
  choose(rollout: Rollout | null, call: RoutedCall): ChosenRoute;
}

export type RoutedCall = Pick<Execution, "id" | "conversationId" | "door">;

export function createCanaryRouter(options: {
  readonly findMark: (rolloutId: string, key: string) => RolloutMark | undefined;
}): CanaryRouter {
  return {
    choose(rollout, call) {
      const lane = laneOf(call);
      if (!rollout) return { route: "stable", lane, bucket: null };
      const key = stickyKey(call);
      const bucket = bucketOf(rollout, key);
      const { percent } = rollout.lanes[lane];
      const isDrawn = rollout.status === "running" && bucket < percent * 100;
      // Who was failed once is not failed again by the same version.
      const isCanary = isDrawn && options.findMark(rollout.id, `${lane}:${key}`) !== "failed";
      return { route: isCanary ? "canary" : "stable", lane, bucket };
    },
  };
}

/** Live calls and scheduled runs are routed and judged apart. */
export function laneOf({ door }: Pick<RoutedCall, "door">): LaneName {
  return door === "schedule" ? "scheduled" : "live";
}

/** A conversation or a job; a call that belongs to none stands for itself. */
export function stickyKey({ id, conversationId }: RoutedCall): string {
  return conversationId ?? id;
}

/** Salted, so that each canary draws others. */
function bucketOf({ id, hash }: Rollout, key: string): number {
  return createHash("sha256").update(`${id}\0${hash}\0${key}`).digest().readUInt32BE(0) % 10_000;
}
