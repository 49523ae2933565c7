import type { ProcessIdentity } from "../../../src/core/process.ts";
import type { RolloutEvent, RolloutStore } from "../../../src/core/stores.ts";
import type { Observation } from "../../../src/tool-files/rollout/release/count-observation.ts";
import type { Terms } from "../../../src/tool-files/rollout/release/introduce-content.ts";
import {
  createPromotionController,
  type PromotionController,
  type ReleasePolicy,
} from "../../../src/tool-files/rollout/release/promotion-controller.ts";
import { readRelease } from "../../../src/tool-files/rollout/release/release-documents.ts";
import type { Content } from "../../../src/tool-files/rollout/release/release-steps.ts";
import type { LaneName, ReplayReport, ToolRelease } from "../../../src/tool-files/rollout/release/tool-release.ts";
import {
  createToolVersionRegistry,
  type ToolVersionRegistry,
} from "../../../src/tool-files/rollout/release/tool-version-registry.ts";
import { rolloutPolicy } from "../../../src/tool-files/rollout/rollout.ts";
import { createRolloutOrders, type OrderParts } from "../../../src/tool-files/rollout/service/rollout-orders.ts";
import type { Rollouts } from "../../../src/tool-files/rollout/service/rollouts.ts";
import { createMemoryRolloutStore } from "../../../src/records/memory/memory-rollout-store.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

/** Registry and controller over one store, as the runtime puts them together; the tool is `say`. */
export interface ReleaseBench {
  readonly store: RolloutStore;
  readonly clock: ManualClock;
  readonly registry: ToolVersionRegistry;
  readonly controller: PromotionController;
  /** What a person says. */
  readonly orders: Rollouts;
  /** What a person saved, unless said otherwise; undefined when the terms did not hold. */
  readonly introduce: (hash: string, given?: Partial<Content & Terms>) => Promise<ToolRelease | undefined>;
  /** A content that is stable, and another one that runs. */
  readonly start: (stable?: string, canary?: string) => Promise<string>;
  readonly release: () => ToolRelease;
  readonly observe: (given: Partial<Observation>) => Promise<void>;
  /** Oldest first. */
  readonly events: () => RolloutEvent[];
  readonly types: () => string[];
}

export const me: ProcessIdentity = { pid: 1, startTime: "1", bootId: "boot" };
export const somebody: ProcessIdentity = { ...me, pid: 2 };
export const allPassed: ReplayReport = { cases: 3, passed: 3, flips: [], skipped: null };

export function openReleaseBench(
  policy: Partial<ReleasePolicy> | ((lane: LaneName) => Partial<ReleasePolicy>) = {},
  store: RolloutStore = createMemoryRolloutStore(),
  readContent: OrderParts["readContent"] = () => null,
): ReleaseBench {
  const clock = createManualClock();
  const policyOf = (_tool: string, risk: "low" | "high", lane: LaneName): ReleasePolicy => ({
    ...rolloutPolicy(lane, risk),
    approve: "never",
    dryRun: false,
    ...(typeof policy === "function" ? policy(lane) : policy),
  });
  const registry = createToolVersionRegistry({ store, policyOf, now: () => clock.now() });
  const controller = createPromotionController({ policyOf });
  let calls = 0;
  const orders = createRolloutOrders({
    store,
    registry,
    controller,
    policyOf,
    clock,
    toolFolder: "tools",
    who: "kim",
    mode: "canary",
    modeOf: () => "canary",
    schemaOf: () => null,
    settleFile: () => undefined,
    canOpen: () => true,
    readContent,
    async replay() {
      const claimed = await registry.claimReplay("say", me, () => false);
      if (claimed) await registry.endReplay("say", claimed.id, allPassed);
    },
    prepareFor: () => undefined,
  });
  const bench: ReleaseBench = {
    store,
    clock,
    registry,
    controller,
    orders,
    introduce(hash, given = {}) {
      const content = { tool: "say", fileName: "say.js", hash, origin: "person" as const };
      const against = readRelease(store, "say")?.stable.hash ?? null;
      const terms = { mode: "canary", window: 3, isInFile: true, against, risk: "low", verifies: false } as const;
      return registry.introduce({ ...content, ...given }, { ...terms, blocked: null, ...given });
    },
    async start(stable = "aa", canary = "bb") {
      if (!readRelease(store, "say")) await bench.introduce(stable);
      await bench.introduce(canary);
      const claimed = await registry.claimReplay("say", me, () => false);
      await registry.endReplay("say", claimed!.id, allPassed);
      return claimed!.id;
    },
    release: () => readRelease(store, "say")!,
    async observe(given) {
      calls += 1;
      const observation: Observation = {
        tool: "say",
        rolloutId: bench.release().rollout?.id ?? "",
        route: "canary",
        lane: "live",
        executionId: `call_${calls}`,
        conversationId: null,
        kind: "text",
        outcome: "ok",
        latencyMs: 10 + (calls % 20),
        onStable: null,
        error: given.outcome === undefined || given.outcome === "ok" ? "" : "broken",
        at: clock.now(),
        running: 0,
        history: () => ({ calls: 100, failures: 1 }),
        ...given,
      };
      await store.change((transaction) => controller.observe(transaction, observation));
    },
    events: () => store.listEvents({ tool: "say", limit: 1000 }).toReversed(),
    types: () => bench.events().map(({ type, by }) => `${type} by ${by}`),
  };
  return bench;
}
