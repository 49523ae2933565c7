import { readFileSync } from "node:fs";
import type { Configuration } from "../../../config/configuration.ts";
import { policyFor, rolloutModeFor } from "../../../config/rollout-settings.ts";
import type { RouteCall } from "../../../core/call.ts";
import type { Clock } from "../../../core/clock.ts";
import { messageOf, RuntimeError } from "../../../core/errors.ts";
import type { Emit } from "../../../core/events.ts";
import type { FindCrashLoop, RolloutEvent, RolloutStore, ToolFeedback } from "../../../core/stores.ts";
import type { Processes } from "../../../process/processes.ts";
import type { Journal } from "../../../records/audit-log/open-log.ts";
import type { ToolVersion } from "../../custom-tool.ts";
import type { StartCanary } from "../../improve/improve-tool.ts";
import type { Workshop } from "../../open-tool-files.ts";
import type { Releases } from "../../versions/released-versions.ts";
import { createPromotionController, type PolicyOf } from "../release/promotion-controller.ts";
import { readRelease } from "../release/release-documents.ts";
import type { Content } from "../release/release-steps.ts";
import {
  type ReplayReport,
  type RolledBack,
  type Rollout,
  type ToolRelease,
  versionName,
} from "../release/tool-release.ts";
import { createToolVersionRegistry } from "../release/tool-version-registry.ts";
import type { CaseEnd } from "../replay/replay-case.ts";
import { createReleases } from "./create-releases.ts";
import { makeTerms } from "./plan-rollout.ts";
import { recallDamaged, type RecallPlace } from "./recall-damaged.ts";
import { takeBackBlamed } from "./roll-back-crash-loop.ts";
import { createRolloutObserver, type RolloutObserver } from "./rollout-observer.ts";
import { createRolloutOrders } from "./rollout-orders.ts";
import { createRolloutRouter } from "./rollout-router.ts";
import type { Rollouts } from "./rollouts.ts";
import { createTimeoutVerifier } from "./verify-timeouts.ts";

export interface RolloutsParts {
  readonly configuration: Configuration;
  readonly store: RolloutStore;
  readonly journal: Journal | null;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Takes secrets out. */
  readonly mask: <Value>(value: Value) => Value;
  /** As a person says it. */
  readonly toolFolder: string;
  readonly who: string;
  readonly workshop: RolloutWorkshop;
}

export type RolloutWorkshop = Pick<Workshop, "liveVersion"> &
  RecallPlace & {
    /** Puts a content that was kept into its file, if the file still has what it had; false when it has not. */
    writeFile(fileName: string, from: { readonly before: string; readonly content: string }): boolean;
    /** Tries recorded calls on a content; null when it was broken off because all is being closed. */
    replay(order: TrialOrder): Promise<ReplayReport | null>;
    /** Runs a content once, apart from all calls; null when it was broken off because all is being closed. */
    runOnce(order: RunOnceOrder): Promise<CaseEnd | null>;
  };

export interface RunOnceOrder {
  readonly version: ToolVersion;
  readonly input: unknown;
  readonly timeoutMs: number;
}

export interface TrialOrder {
  readonly stable: ToolVersion;
  readonly canary: ToolVersion;
  readonly origin: Rollout["origin"];
  readonly onTried: (tried: number, cases: number) => void;
}

/** New versions of tools, put together. Where nothing is tried nothing happens. */
export interface OpenedRollouts {
  readonly releases: Releases;
  readonly route: RouteCall;
  readonly observer: RolloutObserver;
  /** Before a call: what another process left undone is done first. */
  prepareFor(tool: string): Promise<void> | undefined;
  readonly orders: Rollouts;
  readonly startCanary: StartCanary;
  /** What could not be done, in sentences. */
  readonly warnings: readonly string[];
  /** The most frequent first. */
  readonly feedback: (tool: string) => readonly ToolFeedback[];
  /** Why a content of this tool may not come back; null when it may. */
  readonly whyOut: (tool: string, hash: string) => string | null;
  /** Before any tool file is looked at: see `roll-back-crash-loop.ts`. */
  readonly takeBackBlamed: (find: FindCrashLoop) => Promise<void>;
}

export function openRollouts(parts: RolloutsParts): OpenedRollouts {
  const { configuration, processes, clock, emit } = parts;
  const settings = configuration.rollout;
  const now = (): number => clock.now();
  const store = tellRolloutEvents(parts.store, (event) => {
    // Where nothing is tried, nothing is told either: an edit is live at once, as if this were not here.
    // But what was found damaged is no edit, and has figures.
    if (event.type !== "live" || event.figures !== null || modeOf(event.tool) === "canary") tellEvent(parts, event);
  });
  const policyOf: PolicyOf = (tool, risk, lane) => ({
    ...policyFor(settings, { tool, risk, lane }),
    dryRun: settings.dryRun,
  });
  const registry = createToolVersionRegistry({ store, policyOf, now });
  const controller = createPromotionController({ policyOf });
  const modeOf = (tool: string): "off" | "canary" => rolloutModeFor(settings, tool);
  const isFromFile = (tool: string): boolean => parts.workshop.liveVersion(tool) !== undefined;
  const router = createRolloutRouter({
    store,
    registry,
    clock,
    isFromFile: (tool) => parts.workshop.liveVersion(tool.name)?.tool === tool,
    openVersion: ({ fileName }, hash) => parts.workshop.openVersion(fileName, hash)?.tool,
    findTool: (name) => parts.workshop.liveVersion(name)?.tool,
  });
  const verifier = createTimeoutVerifier({
    store,
    controller,
    clock,
    journal: parts.journal,
    emit,
    isTried: (tool, rolloutId) => {
      const rollout = registry.find(tool)?.rollout;
      return rollout?.id === rolloutId && rollout.status === "running";
    },
    async runOnStable({ fileName, hash, input, timeoutMs }) {
      const version = parts.workshop.openVersion(fileName, hash);
      return version ? parts.workshop.runOnce({ version, input, timeoutMs }) : null;
    },
  });
  const warnings: string[] = [];

  function warn(tool: string, thrown: unknown): void {
    const error = `The rollout of ${tool} could not go on: ${messageOf(thrown)}`;
    note(error);
    emit("ledger:failed", { id: "", error });
  }

  function note(sentence: string): void {
    if (warnings.length < 100 && !warnings.includes(sentence)) warnings.push(sentence);
  }

  /** As often as others are quicker: each time something else is stable. */
  async function introduce(
    version: ToolVersion,
    { origin, isInFile }: { origin: Content["origin"]; isInFile: boolean },
  ) {
    const { fileName, spec, file } = version;
    const { openVersion } = parts.workshop;
    for (;;) {
      const content: Content = { tool: spec.name, fileName, hash: file.hash, origin };
      const before = registry.find(spec.name);
      const recalled = before ? undefined : recallDamaged(store, content, parts.workshop);
      const terms = makeTerms({ settings, openVersion }, version, { release: before ?? recalled, isInFile });
      const release = await registry.introduce(content, recalled ? { ...terms, against: null, recalled } : terms);
      if (!release) continue;
      if (!before && release.damage) note(`${spec.name}: ${release.damage.reason} ${whereToLook(spec.name)}`);
      if (terms.standIn && before) note(tellLost(before, release));
      if (release.rollout?.status === "replaying") await replay(spec.name);
      return release;
    }
  }

  /** Before anybody gets it. Where its process died over it, the next one does it. */
  async function replay(tool: string): Promise<void> {
    const claimed = await registry.claimReplay(tool, processes.identity, (owner) => processes.isAlive(owner));
    const release = registry.find(tool);
    if (!claimed || !release) return;
    const report = await tryRecorded(release, claimed);
    if (report) await registry.endReplay(tool, claimed.id, parts.mask(report));
  }

  async function tryRecorded(
    { tool, fileName, stable }: ToolRelease,
    { id: rolloutId, hash, origin }: Rollout,
  ): Promise<ReplayReport | null> {
    const workshop = parts.workshop;
    const versions = {
      stable: workshop.openVersion(fileName, stable.hash),
      canary: workshop.openVersion(fileName, hash),
    };
    const nothing = { cases: 0, passed: 0, flips: [] };
    if (!versions.stable || !versions.canary) {
      return { ...nothing, skipped: "One of the two versions could not be opened." };
    }
    try {
      return await workshop.replay({
        stable: versions.stable,
        canary: versions.canary,
        origin,
        onTried: (tried, cases) =>
          emit("rollout:replaying", { tool, version: versionName(tool, hash), rolloutId, tried, cases }),
      });
    } catch (thrown) {
      return { ...nothing, skipped: `The replay broke off: ${messageOf(thrown)}` };
    }
  }

  /** What `improve` made is put into the tool's file once it is stable, unless a person changed the file meanwhile. */
  function settleFile({ fileName, fileHash, stable, toReplace }: ToolRelease): void {
    if (toReplace === undefined || toReplace !== fileHash) return;
    parts.workshop.writeFile(fileName, { before: toReplace, content: stable.hash });
  }

  /** Every process asks about every file once: that must cost no transaction. */
  function isKnown({ spec, file, fileName }: ToolVersion): boolean {
    const release = registry.find(spec.name);
    return release?.fileHash === file.hash && release.fileName === fileName && canOpen(release, release.stable.hash);
  }

  function canOpen({ fileName }: ToolRelease, hash: string): boolean {
    return parts.workshop.openVersion(fileName, hash) !== undefined;
  }

  function readContent({ fileName }: ToolRelease, hash: string): string | null {
    try {
      const version = parts.workshop.openVersion(fileName, hash);
      return version ? parts.mask(readFileSync(version.file.path, "utf8")) : null;
    } catch {
      return null; // As if it were gone: nobody can compare it.
    }
  }

  /** What was left undone, or can't go on as it is. */
  function whatIsLeft(release: ToolRelease): Promise<void> | undefined {
    const { tool, rollout } = release;
    if (rollout?.status === "replaying") {
      return rollout.owner && processes.isAlive(rollout.owner) ? undefined : replay(tool);
    }
    if (rollout?.status !== "running" || canOpen(release, rollout.hash)) return undefined;
    const reason = "Its copy is gone from .deckhand/versions, or damaged.";
    const entry: RolledBack = { at: now(), who: null, reason, kind: "soft", by: "rule" };
    return store.change((transaction) => {
      const current = readRelease(transaction, tool);
      if (current?.rollout?.id === rollout.id) controller.rollBack(transaction, current, entry);
    });
  }

  function prepareFor(tool: string): Promise<void> | undefined {
    try {
      const release = isFromFile(tool) ? registry.find(tool) : undefined;
      if (!release) return undefined;
      settleFile(release);
      return whatIsLeft(release)?.catch((thrown: unknown) => warn(tool, thrown));
    } catch (thrown) {
      warn(tool, thrown);
      return undefined;
    }
  }

  return {
    releases: createReleases({ registry, store }, async (version, author) => {
      try {
        if (!isKnown(version)) await introduce(version, { origin: author, isInFile: true });
      } catch (thrown) {
        warn(version.spec.name, thrown);
      }
    }),
    route: router.route,
    warnings,
    observer: createRolloutObserver({
      store,
      verifier,
      controller,
      clock,
      emit,
      mask: parts.mask,
      takeRun: (id) => router.takeRun(id),
      running: (id) => router.running(id),
      schemaOf: (tool) => parts.workshop.liveVersion(tool)?.spec.inputSchema ?? null,
      isCounted: (tool) => modeOf(tool) === "canary",
    }),
    prepareFor,
    orders: createRolloutOrders({
      ...parts,
      store,
      registry,
      controller,
      policyOf,
      mode: settings.mode,
      modeOf,
      schemaOf: (tool) => parts.workshop.liveVersion(tool)?.spec.inputSchema ?? null,
      settleFile,
      canOpen,
      readContent,
      replay,
      prepareFor,
    }),
    async startCanary({ tool, snapshot, origin }) {
      const version = parts.workshop.openVersion(snapshot.name, snapshot.hash);
      const release = version && (await introduce(version, { origin, isInFile: false }));
      const rollout = release && registry.find(tool)?.rollout;
      if (rollout?.hash === snapshot.hash) {
        if (rollout.status === "running") return { rolloutId: rollout.id, sentence: rollout.reason };
        throw new RuntimeError("ROLLOUT_STATE", `The new version of ${tool} was not tried. ${rollout.reason}`);
      }
      const why = release?.pinned ? `it is pinned (${release.pinned.reason})` : "the stable version changed meanwhile";
      throw new RuntimeError("ROLLOUT_STATE", `The new version of ${tool} was not tried: ${why}.`);
    },
    feedback: (tool) => store.listFeedback({ tool, limit: 20 }),
    whyOut: (tool, hash) => registry.find(tool)?.out[hash]?.reason ?? null,
    async takeBackBlamed(find) {
      const sentence = await takeBackBlamed(find, { store, controller, clock, canOpen });
      if (sentence !== null) note(sentence);
    },
  };
}

function whereToLook(tool: string): string {
  return `\`deckhand rollout history ${tool}\` has what is left of it.`;
}

function tellLost({ tool, stable }: ToolRelease, after: ToolRelease): string {
  const lost = `The copy of ${versionName(tool, stable.hash)}, which was stable, is gone from .deckhand/versions or damaged`;
  if (after.stable.hash !== stable.hash) return `${lost}; calls take ${versionName(tool, after.stable.hash)} now.`;
  return `${lost}, and what the file has was rolled back: save another content, or \`deckhand rollout resume ${tool}\`.`;
}

function tellEvent({ emit, journal }: RolloutsParts, event: Omit<RolloutEvent, "id">): void {
  const { tool, version, rolloutId, type, by, who, reason, figures } = event;
  emit("rollout:changed", { tool, version, rolloutId, change: type, by, reason });
  const entry = { toolName: tool, toolVersion: version, rolloutId, change: type, by, who, reason };
  journal?.appendBehind({ type: "rollout", ...entry, ...(figures === null ? {} : { figures }) });
}

/** The same store; whoever listens hears of each event once it is committed. */
function tellRolloutEvents(store: RolloutStore, listener: (event: Omit<RolloutEvent, "id">) => void): RolloutStore {
  return {
    ...store,
    async change(work) {
      let events: Omit<RolloutEvent, "id">[] = [];
      const result = await store.change((transaction) => {
        events = []; // It may be run again.
        return work({
          ...transaction,
          addEvent(event) {
            transaction.addEvent(event);
            events.push(event);
          },
        });
      });
      for (const event of events) listener(event);
      return result;
    },
  };
}
