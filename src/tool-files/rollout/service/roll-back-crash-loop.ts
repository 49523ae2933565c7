import type { Clock } from "../../../core/clock.ts";
import type {
  CrashLoop,
  FindCrashLoop,
  Promotion,
  RolloutEventType,
  RolloutReader,
  RolloutStore,
  RolloutTransaction,
} from "../../../core/stores.ts";
import type { PromotionController } from "../release/promotion-controller.ts";
import { listReleases, readRelease } from "../release/release-documents.ts";
import { type RolledBack, type ToolRelease, versionName } from "../release/tool-release.ts";
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

/** What gave a version to more people. To be replayed is enough: its code runs then. */
const givenOut: ReadonlySet<RolloutEventType> = new Set(["live", "started", "replayed", "advanced", "promoted"]);
/** A loop is looked for among what happened lately. */
const mostEvents = 1000;

/**
 * When versions came to more people, oldest first: of those that are in force and could be taken back, and of those that were.
 * A version that another one has replaced is not among them.
 */
function listPromotions(reader: RolloutReader, canOpen: (release: ToolRelease, hash: string) => boolean): Promotion[] {
  const inForce = new Set(listReleases(reader).flatMap((release) => versionsToTakeBack(release, canOpen)));
  const promotions: Promotion[] = [];
  for (const { type, tool, version, rolloutId, at } of reader.listEvents({ limit: mostEvents }).toReversed()) {
    if (version === null) continue;
    if (type === "rolled_back") {
      promotions.forEach((each, index) => {
        if (each.version === version && each.rolledBackAt === null) promotions[index] = { ...each, rolledBackAt: at };
      });
      // What a person resumes is tried once more; a pin that ends gives nothing to anybody.
    } else if (givenOut.has(type) || (type === "resumed" && rolloutId !== null)) {
      promotions.push({ tool, version, at, rolledBackAt: null });
    }
  }
  return promotions.filter(({ version, rolledBackAt }) => rolledBackAt !== null || inForce.has(version));
}

function versionsToTakeBack(release: ToolRelease, canOpen: (release: ToolRelease, hash: string) => boolean): string[] {
  const { tool, stable, rollout, earlier, out } = release;
  const isTried = rollout?.status === "running" || rollout?.status === "replaying";
  const hasEarlier = earlier.some(({ hash }) => hash !== stable.hash && !out[hash] && canOpen(release, hash));
  return [...(isTried ? [rollout.hash] : []), ...(hasEarlier ? [stable.hash] : [])].map((hash) =>
    versionName(tool, hash),
  );
}
