import type { Clock } from "../../../core/clock.ts";
import type { CrashLoop, FindCrashLoop, Promotion } from "../../../core/crash-loop.ts";
import type { RolloutStore, RolloutTransaction } from "../../../core/rollout-store.ts";
import { listPromotions } from "../release/list-promotions.ts";
import type { PromotionController } from "../release/promotion-controller.ts";
import { readRelease } from "../release/release-documents.ts";
import type { RolledBack, ToolRelease } from "../release/tool-release.ts";
import { versionName } from "../release/version-name.ts";
import { rollBackStable } from "./roll-back-stable.ts";

export interface BlameParts {
  readonly store: RolloutStore;
  readonly controller: PromotionController;
  readonly clock: Clock;
  /** Whether the copy of this content is there. Reads files, runs nothing. */
  readonly canOpen: (release: ToolRelease, hash: string) => boolean;
}

/**
 * Rolls the version back, hard, whose promotion a crash loop began with. No tool is loaded for it. Resolves to what was
 * done, in a sentence; null when nothing was to be done.
 */
export async function takeBackBlamed(
  find: FindCrashLoop,
  { store, controller, clock, canOpen }: BlameParts,
): Promise<string | null> {
  const loop = find(listPromotions(store, canOpen));
  const blamed = loop?.promotion;
  if (!blamed) return null;
  const known = readRelease(store, blamed.tool);
  const there = known?.earlier.flatMap(({ hash }) => (canOpen(known, hash) ? [hash] : [])) ?? [];
  const reason = describe(loop, blamed);
  const entry: RolledBack = { at: clock.now(), who: null, reason, kind: "hard", by: "rule" };

  function takeBack(transaction: RolloutTransaction): boolean {
    const release = readRelease(transaction, blamed!.tool);
    if (!release) return false;
    const { rollout, stable, tool } = release;
    const isTried = rollout !== null && rollout.status !== "rolled_back";
    if (isTried && versionName(tool, rollout.hash) === blamed!.version) {
      controller.rollBack(transaction, release, entry);
      return true;
    }
    // Another process was faster, or a person.
    if (versionName(tool, stable.hash) !== blamed!.version) return false;
    if (isTried) {
      const because = `${blamed!.version}, beside which it was tried, was rolled back.`;
      controller.rollBack(transaction, release, { ...entry, kind: "soft", reason: because });
    }
    rollBackStable(transaction, readRelease(transaction, tool)!, { entry, there });
    return true;
  }

  const isDone = await store.change(takeBack);
  if (!isDone) return null;
  return `${blamed.version} was rolled back. ${reason} \`deckhand rollout resume ${blamed.tool}\` lets it out again.`;
}

function describe({ beganAt, deaths }: CrashLoop, { at }: Promotion): string {
  const seconds = Math.round((beganAt - at) / 1000);
  return `A crash loop began ${seconds} s after it came to more people: ${deaths} deaths since ${new Date(beganAt).toISOString()}.`;
}
