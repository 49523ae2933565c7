import type { Execution } from "../../../core/call.ts";
import type { Clock } from "../../../core/clock.ts";
import { cutText, nearest } from "../../../core/text.ts";
import { RuntimeError } from "../../../core/errors.ts";
import type { JsonSchema } from "../../../core/json.ts";
import type { RolloutReader, RolloutStore, RolloutTransaction } from "../../../core/stores.ts";
import { cutDiff, unifiedDiff } from "../../../core/unified-diff.ts";
import { signFailure } from "../metrics/failure-signature.ts";
import { kindOf } from "../metrics/input-kind.ts";
import { readFigures } from "../metrics/metrics-aggregator.ts";
import { laneOf } from "../release/canary-router.ts";
import type { PolicyOf, PromotionController } from "../release/promotion-controller.ts";
import { readCorrections, readHarm, readRelease, removeCounters, writeRelease } from "../release/release-documents.ts";
import { beginAgain, forgetDamage } from "../release/release-steps.ts";
import {
  type CorrectionSource,
  type RolledBack,
  tell,
  type ToolRelease,
  versionName,
} from "../release/tool-release.ts";
import type { ToolVersionRegistry } from "../release/tool-version-registry.ts";
import { rollBackStable } from "./roll-back-stable.ts";
import type { BadMark, Rollouts, RolloutView } from "./rollouts.ts";
import { viewRelease } from "./view-release.ts";

export interface OrderParts {
  readonly store: RolloutStore;
  readonly registry: ToolVersionRegistry;
  readonly controller: PromotionController;
  readonly policyOf: PolicyOf;
  /** Of tools that have none of their own. */
  readonly mode: "off" | "canary";
  readonly modeOf: (tool: string) => "off" | "canary";
  readonly clock: Clock;
  readonly toolFolder: string;
  readonly who: string;
  /** Null when the tool does not come from a file. */
  readonly schemaOf: (tool: string) => JsonSchema | null;
  readonly settleFile: (release: ToolRelease) => void;
  /** Whether the copy of this content is there. Reads files. */
  readonly canOpen: (release: ToolRelease, hash: string) => boolean;
  /** The file of this content, masked; null when the copy is gone. */
  readonly readContent: (release: ToolRelease, hash: string) => string | null;
  readonly replay: (tool: string) => Promise<void>;
  /** Before a call: what another process left undone is done. */
  readonly prepareFor: (tool: string) => Promise<void> | undefined;
}

/** What a person says about new versions of tools. */
export function createRolloutOrders(parts: OrderParts): Rollouts {
  const { store, registry, controller, clock, who } = parts;

  function find(name: string): ToolRelease {
    const release = registry.find(name) ?? registry.list().find(({ tool }) => isSameName(tool, name));
    if (release) return release;
    const known = registry.list().map(({ tool }) => tool);
    const meant = nearest(name, known, 2).join(" or ");
    const others =
      known.length > 0 ? `there are ${known.slice(0, 10).join(", ")}.` : "no tool file has been used here yet.";
    const hint = meant ? `did you mean ${meant}?` : others;
    throw new RuntimeError("UNKNOWN_TOOL", `There is no tool file "${name}" that is known; ${hint}`);
  }

  function view(release: ToolRelease): RolloutView {
    const now = clock.now();
    return viewRelease(release, { ...parts, assess: (lane) => controller.assess(store, { release, lane, now }) });
  }

  /** One step in the store; what it gives is what is there then. */
  async function order(name: string, work: (transaction: RolloutTransaction, release: ToolRelease) => void) {
    const { tool } = find(name);
    await store.change((transaction) => work(transaction, forgetDamage(readRelease(transaction, tool) ?? find(name))));
    const after = find(tool);
    parts.settleFile(after);
    return view(after);
  }

  /** The rule may have been faster than the person, who meant what was tried: stable stays. */
  function pinStable(transaction: RolloutTransaction, release: ToolRelease, entry: RolledBack): void {
    const { tool, stable, rollout } = release;
    const { at, kind, by, reason } = entry;
    if (kind === "soft") {
      const [gone, left] = [rollout!.hash, stable.hash].map((hash) => versionName(tool, hash));
      throw wrongState(
        `${gone} was rolled back already, and everybody gets ${left}. Pin that with --hard, or save what was stable before it: that is live at once.`,
      );
    }
    writeRelease(transaction, { ...release, pinned: { at, who, reason, by } });
    tell(transaction, release, { at, type: "rolled_back", by, who, reason, figures: { kind } });
  }

  async function mark(
    name: string,
    call: Execution,
    { source, reason }: { readonly source: CorrectionSource; readonly reason: string },
  ): Promise<BadMark> {
    const { tool } = find(name);
    const { id, toolId, version, route, conversationId, toolInput, state } = call;
    if (toolId !== tool) throw wrongState(`${id} is not a call of ${tool}, but of ${toolId ?? "no known tool"}.`);
    if (state !== "completed" || version === null) {
      throw wrongState(`${id} did not succeed: it counts as ${state} already.`);
    }
    const arm = { tool, version, route: route ?? "stable" } as const;
    const at = clock.now();
    // When it ran: a call that waited, for an approval or for the replay of what it is routed to, was asked for before.
    const startedAt = call.startedAt ?? call.createdAt;
    const kind = kindOf(toolInput, parts.schemaOf(tool) ?? {});
    const marked = { ...arm, lane: laneOf(call), executionId: id, conversationId, kind, at, source, reason, startedAt };
    let counted: BadMark["counted"] = "not_tried";
    await store.change((transaction) => {
      counted = controller.markWrong(transaction, marked);
      // Only what a person said in words can show `improve` what to change.
      if (counted === "already" || source === "undo") return;
      const signature = signFailure({ error: reason, errorType: "marked_bad" });
      const log = (call.result?.output ?? "").slice(-2000);
      const example = { executionId: id, input: toolInput, error: reason, errorType: "marked_bad", log };
      transaction.addFeedback({ ...arm, ...example, signature, lastAt: at });
    });
    return { counted, view: view(find(tool)) };
  }

  function resume(transaction: RolloutTransaction, release: ToolRelease, reason: string): void {
    const { rollout, fileHash, stable, tool } = release;
    const at = clock.now();
    const isBack = rollout?.status === "rolled_back";
    const isOut = release.out[fileHash] !== undefined;
    if (!release.pinned && !rollout?.held && !isBack && !isOut) {
      throw wrongState(`${tool} is neither held, pinned nor rolled back: there is nothing to resume.`);
    }
    const out = Object.fromEntries(
      Object.entries(release.out).filter(([hash]) => hash !== rollout?.hash && hash !== fileHash),
    );
    if (rollout && isBack) removeCounters(transaction, rollout.id);
    const firstShare = (lane: "live" | "scheduled"): number => parts.policyOf(tool, rollout!.risk, lane).stages[0]!;
    const again = rollout && isBack ? beginAgain(rollout, { at, firstShare }) : rollout;
    // What the file has and was kept out is looked at as if it were new.
    const isKeptOut = fileHash !== stable.hash && fileHash !== rollout?.hash;
    const next: ToolRelease = {
      ...release,
      out,
      pinned: null,
      rollout: again && { ...again, held: null },
      fileHash: isKeptOut ? "" : fileHash,
    };
    writeRelease(transaction, next);
    const told = { at, type: "resumed", by: "person", who, reason, figures: null } as const;
    tell(transaction, next, told);
  }

  return {
    mode: parts.mode,
    async list(tool) {
      const releases = tool === undefined ? registry.list() : [find(tool)];
      return releases.map(view).sort((a, b) => (a.tool < b.tool ? -1 : 1));
    },
    async explain(name) {
      const release = find(name);
      const now = clock.now();
      const judge = (lane: "live" | "scheduled") =>
        controller.assess(store, { release, lane, now, look: "now" }) ?? null;
      const isTried = release.rollout !== null;
      return {
        view: view(release),
        release,
        lanes: { live: isTried ? judge("live") : null, scheduled: isTried ? judge("scheduled") : null },
        figures: readFigures(store, release.tool, now),
        ...(release.rollout && {
          harm: readHarm(store, release.rollout.id),
          corrections: readCorrections(store, release.rollout.id),
        }),
      };
    },
    history: async (query) =>
      store.listEvents(query.tool === undefined ? query : { ...query, tool: find(query.tool).tool }),
    async feedback(name, limit) {
      if (!Number.isInteger(limit) || limit < 1) {
        throw new TypeError(
          `feedback(tool, limit) takes a whole number from 1 on as its limit; got ${JSON.stringify(limit)}.`,
        );
      }
      return store.listFeedback({ tool: find(name).tool, limit });
    },
    async diff(name, mostLines = mostDiff.lines) {
      const release = find(name);
      const { stable, rollout, fileName } = release;
      const before = rollout && parts.readContent(release, stable.hash);
      const after = rollout && parts.readContent(release, rollout.hash);
      if (before === null || after === null) return null;
      const shown = `${parts.toolFolder}/${fileName}`;
      const diff = unifiedDiff(before, after, { from: shown, to: shown });
      return diff === undefined
        ? "The change is too long to be shown."
        : cutText(cutDiff(diff, mostLines), mostDiff.characters);
    },
    lookAfter: () => lookAfterRollouts(parts),
    inNameOf: (other) => createRolloutOrders({ ...parts, who: other }),
    async promote(name, { to, reason = "A person promoted it." }) {
      const known = find(name);
      const gone = known.rollout && !parts.canOpen(known, known.rollout.hash) ? known.rollout.hash : null;
      return order(name, (transaction, release) => {
        const { rollout, tool } = release;
        if (!rollout) throw wrongState(`No other version of ${tool} is being tried: there is nothing to promote.`);
        if (rollout.hash === gone) {
          throw wrongState(
            `The copy of ${versionName(tool, gone)} is gone from .deckhand/versions: save it once more.`,
          );
        }
        if (to === "next" && rollout.status !== "running") {
          throw wrongState(`The new version of ${tool} ${whyNoNext[rollout.status]}, or promote it to all with --all.`);
        }
        controller.promote(transaction, release, { to, who, reason, now: clock.now() });
      });
    },
    markBad: (name, call, reason = "A person marked its result as bad.") =>
      mark(name, call, { source: "feedback", reason }),
    async markUndone(call) {
      const release = call.toolId === null ? undefined : registry.find(call.toolId);
      if (release?.rollout?.status !== "running" || call.state !== "completed") return "not_tried";
      const reason = "The person took back with /undo what was made of its result.";
      return (await mark(release.tool, call, { source: "undo", reason })).counted;
    },
    hold: (name, reason) =>
      order(name, (transaction, release) => {
        const { rollout, tool } = release;
        if (rollout?.status !== "running" && rollout?.status !== "replaying") {
          throw wrongState(`No other version of ${tool} is being tried: there is nothing to hold.`);
        }
        const at = clock.now();
        const next = { ...release, rollout: { ...rollout, held: { at, who, reason } } };
        writeRelease(transaction, next);
        tell(transaction, next, { at, type: "held", by: "person", who, reason, figures: null });
      }),
    async resume(name, reason = "A person resumed it.") {
      const resumed = await order(name, (transaction, release) => resume(transaction, release, reason));
      if (resumed.status !== "replaying") return resumed;
      await parts.replay(resumed.tool);
      return view(find(resumed.tool));
    },
    async rollback(name, { kind, reason = "A person rolled it back.", to: said }) {
      const release = find(name);
      const to = said === undefined ? undefined : findEarlierVersion(store, release, said);
      const there = release.earlier.flatMap(({ hash }) => (parts.canOpen(release, hash) ? [hash] : []));
      return order(name, (transaction, current) => {
        const entry: RolledBack = { at: clock.now(), who, reason, kind, by: "person" };
        const { rollout } = current;
        if (to !== undefined && to !== current.stable.hash) {
          // What is tried is tried beside what goes now.
          if (rollout && rollout.status !== "rolled_back") controller.rollBack(transaction, current, entry);
          rollBackStable(transaction, readRelease(transaction, current.tool)!, { entry, there, to });
        } else if (!rollout && to !== undefined) {
          throw wrongState(`${versionName(current.tool, to)} is stable already, and nothing else is being tried.`);
        } else if (!rollout) rollBackStable(transaction, current, { entry, there });
        else if (rollout.status === "rolled_back") pinStable(transaction, current, entry);
        else controller.rollBack(transaction, current, entry);
      });
    },
  };
}

/** More than that nobody reads. */
const mostDiff = { lines: 2000, characters: 200_000 };

const whyNoNext = {
  replaying: "is still being replayed: wait",
  blocked: "can't be tried beside the stable one: roll it back",
  rolled_back: "was rolled back: resume it first",
} as const;

function wrongState(message: string): RuntimeError {
  return new RuntimeError("ROLLOUT_STATE", message);
}

function isSameName(tool: string, name: string): boolean {
  const fold = (text: string): string => text.toLowerCase().replaceAll(/[-_\s]/g, "");
  return fold(tool) === fold(name);
}

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

/** Fewer characters of a hash could be meant as something else. */
const shortestPrefix = 4;
const mostNamed = 10;

/**
 * The full hash of a content that is or was stable, by what a person says: the beginning of its hash, `name@hash`, or the number
 * that `rollout history` has for it. Throws VERSION_UNKNOWN, with what there is.
 */
function findEarlierVersion(reader: RolloutReader, release: ToolRelease, said: string): string {
  const { tool } = release;
  const known = [release.stable, ...release.earlier].map(({ hash }) => hash);
  const beginnings = beginningsOf(reader, tool, said);
  const found = [...new Set(known.filter((hash) => beginnings.some((each) => hash.startsWith(each))))];
  if (found.length === 1) return found[0]!;
  const list = known.slice(0, mostNamed).map((hash, index) => `${hash.slice(0, 12)}${index === 0 ? " (now)" : ""}`);
  const more = known.length > mostNamed ? ` and ${known.length - mostNamed} more` : "";
  if (found.length > 1) {
    const meant = found.map((hash) => versionName(tool, hash)).join(" or ");
    throw new RuntimeError("VERSION_UNKNOWN", `"${said}" may be ${meant}: say more of it.`);
  }
  throw new RuntimeError(
    "VERSION_UNKNOWN",
    `No version of ${tool} that was stable is "${said}": expected at least ${shortestPrefix} characters of its hash, or its number in \`deckhand rollout history ${tool}\`. There are ${list.join(", ")}${more}.`,
  );
}

function beginningsOf(reader: RolloutReader, tool: string, said: string): string[] {
  const text = said.trim().toLowerCase();
  const prefix = text.slice(text.lastIndexOf("@") + 1);
  const isPrefix = prefix.length >= shortestPrefix && /^[0-9a-f]+$/.test(prefix);
  const id = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : Number.NaN;
  const [event] = Number.isSafeInteger(id) ? reader.listEvents({ tool, limit: 1, beforeId: id + 1 }) : [];
  const numbered = event?.id === id && event.version !== null ? [event.version.slice(tool.length + 1)] : [];
  return [...numbered, ...(isPrefix ? [prefix] : [])];
}
