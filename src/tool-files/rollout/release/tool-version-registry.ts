import type { ProcessIdentity } from "../../../core/process.ts";
import type { RolloutStore } from "../../../core/stores.ts";
import { forgetVersions } from "../metrics/metrics-aggregator.ts";
import { createIntroducer, type Terms } from "./introduce-content.ts";
import type { PolicyOf } from "./promotion-controller.ts";
import { listReleases, readRelease, writeRelease } from "./release-documents.ts";
import { rollBack, versionsInUse, type Content } from "./release-steps.ts";
import { type ReplayReport, type Rollout, tell, type ToolRelease } from "./tool-release.ts";

/** Which content of each tool is stable, which is tried, and which stays out. */
export interface ToolVersionRegistry {
  /** At once; from memory unless somebody wrote since. */
  find(tool: string): ToolRelease | undefined;
  list(): readonly ToolRelease[];
  /**
   * A content was found in its file, or was made by `improve`. Gives the release as it is then; undefined, and nothing was
   * done, when another content became stable since the terms were made: make them again.
   */
  introduce(content: Content, terms: Terms): Promise<ToolRelease | undefined>;
  /** Recorded calls may be tried on it now, by this process; undefined when another one does, or nothing waits. */
  claimReplay(
    tool: string,
    owner: ProcessIdentity,
    isAlive: (owner: ProcessIdentity) => boolean,
  ): Promise<Rollout | undefined>;
  /** The recorded calls were tried: it begins, or it goes. */
  endReplay(tool: string, rolloutId: string, report: ReplayReport): Promise<void>;
}

export function createToolVersionRegistry(options: {
  readonly store: RolloutStore;
  readonly policyOf: PolicyOf;
  readonly now: () => number;
}): ToolVersionRegistry {
  const { store, now } = options;
  const introduce = createIntroducer(options);
  let seen = Number.NaN;
  const known = new Map<string, ToolRelease | undefined>();

  return {
    find(tool) {
      const revision = store.revision();
      if (revision !== seen) {
        known.clear();
        seen = revision;
      }
      if (!known.has(tool)) known.set(tool, readRelease(store, tool));
      return known.get(tool);
    },
    list: () => listReleases(store),
    introduce: (content, terms) =>
      store.change((transaction) => {
        const before = readRelease(transaction, content.tool);
        if ((before?.stable.hash ?? null) !== terms.against) return undefined;
        const release = introduce(transaction, { before, content, terms });
        writeRelease(transaction, release);
        forgetVersions(transaction, release.tool, versionsInUse(release));
        return release;
      }),
    claimReplay: (tool, owner, isAlive) =>
      store.change((transaction) => {
        const release = readRelease(transaction, tool);
        const rollout = release?.rollout;
        if (!release || rollout?.status !== "replaying") return undefined;
        if (rollout.owner && isAlive(rollout.owner)) return undefined;
        const claimed: Rollout = { ...rollout, owner };
        writeRelease(transaction, { ...release, rollout: claimed });
        return claimed;
      }),
    async endReplay(tool, rolloutId, report) {
      await store.change((transaction) => {
        const release = readRelease(transaction, tool);
        const rollout = release?.rollout;
        if (!release || rollout?.id !== rolloutId || rollout.status !== "replaying") return;
        const at = now();
        const reason = describeReplay(report);
        const replayed: Rollout = { ...rollout, owner: null, replay: report, reason, status: "running" };
        const next: ToolRelease = { ...release, rollout: replayed };
        tell(transaction, next, { at, type: "replayed", by: "rule", who: null, reason, figures: report });
        if (report.flips.length === 0) return writeRelease(transaction, next);
        const entry = { at, who: null, reason, kind: "soft", by: "rule" } as const;
        const back = rollBack(next, entry);
        writeRelease(transaction, back);
        tell(transaction, back, { at, type: "rolled_back", by: "rule", who: null, reason, figures: { kind: "soft" } });
      });
    },
  };
}

function describeReplay({ cases, passed, flips, skipped }: ReplayReport): string {
  const [first] = flips;
  const left = skipped === null ? "" : ` ${skipped}`;
  if (first) {
    return `Rolled back before anybody got it: ${flips.length} of ${cases} replayed calls pass on stable and fail here, the first (${first.name}): ${first.error}`;
  }
  if (cases === 0) return `Nothing could be replayed.${left}`;
  return `Replayed: ${passed} of ${cases} pass, none fails that passes on stable.${left}`;
}
