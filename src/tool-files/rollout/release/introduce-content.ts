import { createId } from "../../../core/ids.ts";
import type { RolloutTransaction } from "../../../core/stores.ts";
import type { PolicyOf } from "./promotion-controller.ts";
import { isReleaseDamaged, removeCounters } from "./release-documents.ts";
import { firstRelease, forgetDamage, makeStable, type Content } from "./release-steps.ts";
import { type Rollout, tell, type ToolRelease, versionName } from "./tool-release.ts";

/** On which terms a content is introduced. They rest on files, so they are made before, and hold for one stable content. */
export interface Terms {
  /** `canary`: what a person saved is tried first as well. */
  readonly mode: "off" | "canary";
  /** So many of what was stable before may come back at once. */
  readonly window: number;
  /** False for a content that is not in the tool's file. */
  readonly isInFile: boolean;
  /** The content that was stable when they were made; null when there was none. */
  readonly against: string | null;
  /** The stable content is gone: this one, which was stable before, can take its place. Left out: the stable one is there. */
  readonly standIn?: { readonly hash: string | null };
  readonly risk: Rollout["risk"];
  readonly verifies: boolean;
  /** What tells what was stable, where the release itself is damaged; left out: nothing does. */
  readonly recalled?: ToolRelease;
  /** Why it can't run beside the stable one, in one sentence; null when it can. */
  readonly blocked: string | null;
}

interface Introduction {
  readonly before: ToolRelease | undefined;
  readonly content: Content;
  readonly terms: Terms;
}

type Introduce = (transaction: RolloutTransaction, introduction: Introduction) => ToolRelease;

/** What becomes of a content that is there: nothing, live at once, or tried beside the stable one. */
export function createIntroducer(options: { readonly policyOf: PolicyOf; readonly now: () => number }): Introduce {
  const { policyOf, now } = options;

  function introduceFirst(transaction: RolloutTransaction, content: Content): ToolRelease {
    const release = firstRelease(content, now());
    if (isReleaseDamaged(transaction, content.tool)) return tellDamage(transaction, release, damages.unknown);
    tell(transaction, release, { ...byFile, at: now(), type: "live", reason: "It is the first one.", figures: null });
    return release;
  }

  /** What was tried when it happened is tried from the beginning: its counters say nothing any more. */
  function recall(transaction: RolloutTransaction, recalled: ToolRelease): ToolRelease {
    const { tool } = recalled;
    const last = transaction.listEvents({ tool, limit: 100 }).find(({ rolloutId }) => rolloutId !== null);
    if (last) removeCounters(transaction, last.rolloutId!);
    return tellDamage(transaction, recalled, damages.recalled);
  }

  function tellDamage(transaction: RolloutTransaction, release: ToolRelease, reason: string): ToolRelease {
    const at = now();
    tell(transaction, release, { ...byFile, at, type: "live", reason, figures: { damaged: true } });
    return { ...release, damage: { at, reason } };
  }

  function introduceNext(transaction: RolloutTransaction, release: ToolRelease, next: NextContent): ToolRelease {
    const { content, terms } = next;
    const { hash, origin } = content;
    const isImproved = release.rollout?.origin === "improve";
    if (hash === release.stable.hash) {
      // The file has what is stable again: what was tried from it is not wanted any more.
      return isImproved ? release : withdraw(transaction, release, "The file went back.");
    }
    if (hash === release.rollout?.hash && !next.isOnlyOne) return release;
    if (release.out[hash] || isPinned(release, content)) {
      return isImproved ? release : withdraw(transaction, release, "The file has another.");
    }
    if (next.isOnlyOne) {
      return takeOver(transaction, release, { content, reason: "What was stable is gone." });
    }
    const isBack = release.earlier.slice(0, terms.window).some((each) => each.hash === hash);
    if (isBack) return takeOver(transaction, release, { content, reason: "It was stable a short while ago." });
    if (terms.mode === "off" && origin === "person") {
      return takeOver(transaction, release, { content, reason: "A person saved it." });
    }
    const free = withdraw(transaction, release, "A newer content took its place.");
    const rollout = begin(content, terms, release.fileHash);
    const begun: ToolRelease = { ...free, rollout, pinned: null };
    const { startedAt: at, reason } = rollout;
    tell(transaction, begun, { ...byFile, at, type: "started", reason, figures: { origin } });
    return begun;
  }

  /** Everybody gets it at once. */
  function takeOver(
    transaction: RolloutTransaction,
    release: ToolRelease,
    { content, reason }: { readonly content: Pick<Content, "hash" | "origin">; readonly reason: string },
  ): ToolRelease {
    const at = now();
    const isTried = release.rollout?.hash === content.hash;
    if (isTried) removeCounters(transaction, release.rollout.id);
    const free = isTried ? release : withdraw(transaction, release, "Another content took its place.");
    const live = makeStable(free, content, at);
    tell(transaction, live, { ...byFile, at, type: "live", reason, figures: null });
    return { ...live, pinned: null };
  }

  /** The copy of what is stable is gone or damaged: the newest of those before it that is there is stable again. */
  function replaceLost(transaction: RolloutTransaction, release: ToolRelease, standIn: string): ToolRelease {
    const content = release.earlier.find(({ hash }) => hash === standIn)!;
    const at = now();
    const lost = versionName(release.tool, release.stable.hash);
    const live = makeStable(release, content, at);
    const reason = `The copy of ${lost} is gone from .deckhand/versions, or damaged: what was stable before it is again.`;
    tell(transaction, { ...live, rollout: null }, { ...byFile, at, type: "live", reason, figures: null });
    return live;
  }

  function begin(
    { tool, hash, origin }: Content,
    { risk, verifies, blocked, isInFile }: Terms,
    fileHash: string,
  ): Rollout {
    const at = now();
    const lane = (name: "live" | "scheduled") => {
      return { index: 0, percent: policyOf(tool, risk, name).stages[0]!, isUsed: false, last: null };
    };
    return {
      id: createId("roll", at),
      hash,
      origin,
      startedAt: at,
      risk,
      verifies,
      status: blocked === null ? "replaying" : "blocked",
      ...(!isInFile && { replaces: fileHash }),
      owner: null,
      reason: blocked ?? "What can be replayed is tried on it before anybody gets it.",
      held: null,
      replay: null,
      lanes: { live: lane("live"), scheduled: lane("scheduled") },
    };
  }

  function withdraw(transaction: RolloutTransaction, release: ToolRelease, reason: string): ToolRelease {
    const { rollout } = release;
    if (!rollout) return release;
    if (rollout.status !== "rolled_back") {
      tell(transaction, release, { ...byFile, at: now(), type: "withdrawn", reason, figures: null });
    }
    removeCounters(transaction, rollout.id);
    return { ...release, rollout: null };
  }

  function findBefore(
    transaction: RolloutTransaction,
    { before, content, terms }: Introduction,
  ): ToolRelease | undefined {
    const { recalled } = terms;
    if (!before) {
      return recalled && isReleaseDamaged(transaction, content.tool) ? recall(transaction, recalled) : undefined;
    }
    // Whoever changes the file has got over it.
    return before.damage && content.hash !== before.fileHash ? forgetDamage(before) : before;
  }

  return (transaction, introduction) => {
    const { content, terms } = introduction;
    const before = findBefore(transaction, introduction);
    if (!before) return introduceFirst(transaction, content);
    const standIn = terms.standIn?.hash ?? null;
    const release = standIn === null ? before : replaceLost(transaction, before, standIn);
    const isOnlyOne = terms.standIn !== undefined && standIn === null;
    const after = introduceNext(transaction, release, { content, terms, isOnlyOne });
    if (!terms.isInFile) return after;
    const { toReplace: _, ...rest } = after;
    return { ...rest, fileName: content.fileName, fileHash: content.hash };
  };
}

interface NextContent {
  readonly content: Content;
  readonly terms: Terms;
  /** The stable content is gone, and nothing else can take its place. */
  readonly isOnlyOne: boolean;
}

const damages = {
  recalled:
    "What was known of the tool's versions was damaged: this one is stable, by what its history and its copies tell.",
  unknown:
    "What was known of the tool's versions was damaged, and nothing else tells what was stable: the file's content is live.",
};

const byFile = { by: "file", who: null } as const;

/** What a rule pinned, a person may change by saving another content. */
function isPinned({ pinned }: ToolRelease, { origin }: Content): boolean {
  return pinned !== null && !(pinned.by === "rule" && origin === "person");
}
