import type { Promotion } from "../../../core/crash-loop.ts";
import type { RolloutEventType, RolloutReader } from "../../../core/rollout-store.ts";
import { listReleases } from "./release-documents.ts";
import type { ToolRelease } from "./tool-release.ts";
import { versionName } from "./version-name.ts";

/** What gave a version to more people. To be replayed is enough: its code runs then. */
const givenOut: ReadonlySet<RolloutEventType> = new Set(["live", "started", "replayed", "advanced", "promoted"]);
/** A loop is looked for among what happened lately. */
const mostEvents = 1000;

/**
 * When versions came to more people, oldest first: of those that are in force and could be taken back, and of those that were.
 * A version that another one has replaced is not among them.
 */
export function listPromotions(
  reader: RolloutReader,
  canOpen: (release: ToolRelease, hash: string) => boolean,
): Promotion[] {
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
