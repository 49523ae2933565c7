import type { Clock } from "../../../core/clock.ts";
import type { RolloutStore } from "../../../core/rollout-store.ts";
import type { PromotionController } from "../release/promotion-controller.ts";
import { readRelease } from "../release/release-documents.ts";
import type { ToolVersionRegistry } from "../release/tool-version-registry.ts";

const lanes = ["live", "scheduled"] as const;

/** What would otherwise wait for the next call of a tool, which may never come. */
export async function lookAfterRollouts(parts: {
  readonly registry: ToolVersionRegistry;
  readonly store: RolloutStore;
  readonly controller: PromotionController;
  readonly clock: Clock;
  /** What another process left undone is done. */
  readonly prepareFor: (tool: string) => Promise<void> | undefined;
}): Promise<void> {
  const { registry, store, controller, clock } = parts;
  for (const { tool } of registry.list()) {
    await parts.prepareFor(tool);
    const release = registry.find(tool);
    const now = clock.now();
    for (const lane of lanes) {
      // Only looked at first: mostly there is nothing to write.
      if (!release || !controller.isOverdue(store, { release, lane, now })) continue;
      await store.change((transaction) => {
        const current = readRelease(transaction, tool);
        if (current) controller.noteOverdue(transaction, { release: current, lane, now });
      });
    }
  }
}
