import type { RolloutReader, RolloutTransaction } from "../../../core/stores.ts";
import { assess, isAssessmentDue, type Assessment } from "../decision/assess.ts";
import { nextStep, type Step } from "../decision/choose-verdict.ts";
import type { RolloutPolicy } from "../decision/policy.ts";
import { enterStage, markWrong, type RolloutState } from "../decision/rollout-state.ts";
import { placeKind } from "../metrics/input-kind.ts";
import { forgetVersions } from "../metrics/metrics-aggregator.ts";
import {
  countCorrection,
  countHarm,
  countObservation,
  countVerified,
  type Observation,
  type VerifiedCall,
} from "./count-observation.ts";
import {
  listKinds,
  readHarm,
  readKindState,
  readKindStates,
  readRelease,
  readState,
  removeCounters,
  writeKindState,
  writeRelease,
  writeState,
} from "./release-documents.ts";
import { makeStable, rollBack, versionsInUse } from "./release-steps.ts";
import {
  type CorrectionSource,
  eventOf,
  isWorthTelling,
  type Lane,
  type LaneName,
  type RolledBack,
  type Rollout,
  tell,
  type ToolRelease,
  versionName,
} from "./tool-release.ts";

/** How a rollout of one tool goes on: the rule's policy, and whether a person has to agree. */
export interface ReleasePolicy extends RolloutPolicy {
  readonly approve: "never" | "last" | "each";
  /** Decisions are noted and not carried out. */
  readonly dryRun: boolean;
}

export type PolicyOf = (tool: string, risk: Rollout["risk"], lane: LaneName) => ReleasePolicy;

/** Judges what is tried, and does what the judgement says. Each method is one step inside a transaction. */
export interface PromotionController {
  /** Counts a settled call, and decides when it can have changed the answer. True: a running trial counts it for its version. */
  observe(transaction: RolloutTransaction, observation: Observation): boolean;
  /** A call that was counted as a timeout was run again on stable since. */
  verify(transaction: RolloutTransaction, verified: VerifiedCall): void;
  /** A person says, or shows by an undo, that the result of a call was bad; what became of that. */
  markWrong(transaction: RolloutTransaction, marked: MarkedCall): "counted" | "already" | "not_tried";
  /** The answer as it would be now; nothing is done. Undefined when there is nothing to judge. */
  assess(reader: RolloutReader, at: JudgedLane): Assessment | undefined;
  /** Whether so much time has passed, with or without calls, that a person has to decide, and nobody was told so. */
  isOverdue(reader: RolloutReader, at: JudgedLane): boolean;
  /** Tells it. Nothing else is decided without a call: the same counts, judged twice, would prove more than they do. */
  noteOverdue(transaction: RolloutTransaction, at: JudgedLane): void;
  /** A person's order: on to the next stage, or to everybody, whatever is proven. */
  promote(transaction: RolloutTransaction, release: ToolRelease, order: PersonsOrder & { to: "next" | "all" }): void;
  rollBack(transaction: RolloutTransaction, release: ToolRelease, entry: RolledBack): void;
}

export interface JudgedLane {
  readonly release: ToolRelease;
  readonly lane: LaneName;
  readonly now: number;
  readonly running?: number;
  /** Judge progress now, not at the next look: a person asks. */
  readonly look?: "now";
}

/** A call that succeeded. */
export interface MarkedCall {
  readonly tool: string;
  /** `name@hash` of the version that ran it. */
  readonly version: string;
  readonly route: "stable" | "canary";
  readonly lane: LaneName;
  readonly executionId: string;
  readonly conversationId: string | null;
  readonly kind: string;
  readonly startedAt: number;
  readonly at: number;
  readonly source: CorrectionSource;
  readonly reason: string;
}

export interface PersonsOrder {
  readonly who: string;
  readonly reason: string;
  readonly now: number;
}

export function createPromotionController(options: { readonly policyOf: PolicyOf }): PromotionController {
  const { policyOf } = options;

  function question({ release, lane: name, now, running }: JudgedLane, state: RolloutState) {
    const rollout = release.rollout!;
    const policy = policyOf(release.tool, rollout.risk, name);
    return {
      state,
      policy,
      now,
      dryRun: policy.dryRun,
      ...(isGated(rollout.lanes[name], policy) && { gate: "waiting" as const }),
      ...(rollout.held && { held: rollout.held.reason }),
      ...(running !== undefined && { running }),
    };
  }

  function decide(transaction: RolloutTransaction, at: JudgedLane, state: RolloutState): void {
    const { release, lane, now } = at;
    const kinds = readKindStates(transaction, { rolloutId: release.rollout!.id, lane });
    const answer = assess({ ...question(at, state), kinds });
    const { verdict, cause, reason } = answer;
    if (answer.effect === "none" || verdict === "hold" || verdict === "inconclusive") {
      note(transaction, at, answer);
    } else if (verdict === "rollback") {
      const kind = cause === "fatal" ? "hard" : "soft";
      rollBackBy(transaction, release, { at: now, who: null, reason, kind, by: "rule" });
    } else {
      const noted = withLane(release, lane, { last: { at: now, verdict, cause, reason } });
      const isOver = step(transaction, { release: noted, lane, now }, answer.next!);
      tell(transaction, noted, { ...eventOf(answer, now), type: isOver ? "promoted" : "advanced" });
    }
  }

  function overdue(reader: RolloutReader, at: JudgedLane): Assessment | undefined {
    const { rollout } = at.release;
    if (rollout?.status !== "running") return undefined;
    const counters = { rolloutId: rollout.id, lane: at.lane };
    const state = readState(reader, counters);
    if (!state) return undefined;
    const answer = assess({ ...question(at, state), kinds: readKindStates(reader, counters) });
    const isByTime = answer.cause === "age" || answer.cause === "approval";
    return isByTime && rollout.lanes[at.lane].last?.cause !== answer.cause ? answer : undefined;
  }

  function note(transaction: RolloutTransaction, at: JudgedLane, answer: Assessment): void {
    const { noted, isNews } = noteAnswer(at, answer);
    writeRelease(transaction, noted);
    if (isNews) tell(transaction, noted, eventOf(answer, at.now));
  }

  /** The lane has another share from now on; once all lanes that are used have everybody, the canary is stable: true. */
  function step(
    transaction: RolloutTransaction,
    { release, lane, now }: JudgedLane,
    { index, percent }: Pick<Step, "index" | "percent">,
  ): boolean {
    const counters = { rolloutId: release.rollout!.id, lane };
    const state = readState(transaction, counters);
    if (state) {
      enterStage(state, { index, percent, now });
      writeState(transaction, counters, state);
    }
    for (const [kind, each] of Object.entries(readKindStates(transaction, counters))) {
      enterStage(each, { index, percent, now });
      writeKindState(transaction, counters, { kind, state: each });
    }
    const moved = withLane(release, lane, { index, percent, told: [] });
    const isOver = isDone(moved.rollout!);
    if (isOver) finish(transaction, moved, now);
    else writeRelease(transaction, moved);
    return isOver;
  }

  function finish(transaction: RolloutTransaction, release: ToolRelease, now: number): void {
    const { hash, origin, id } = release.rollout!;
    const next = makeStable(release, { hash, origin }, now);
    writeRelease(transaction, next);
    removeCounters(transaction, id);
    forgetVersions(transaction, release.tool, versionsInUse(next));
  }

  function rollBackBy(transaction: RolloutTransaction, release: ToolRelease, entry: RolledBack): void {
    const { at, by, who, reason, kind } = entry;
    const next = rollBack(release, entry);
    writeRelease(transaction, next);
    const figures = { kind, harm: readHarm(transaction, release.rollout!.id) };
    tell(transaction, next, { at, type: "rolled_back", by, who, reason, figures });
    transaction.removeMarks(release.rollout!.id);
  }

  /** The lanes that wait for a person; where none does, those that are used. */
  function lanesToPromote({ lanes }: Rollout): LaneName[] {
    const names = ["live", "scheduled"] as const;
    const waiting = names.filter((name) => lanes[name].last?.cause === "approval");
    if (waiting.length > 0) return waiting;
    const used = names.filter((name) => lanes[name].isUsed);
    return used.length > 0 ? used : ["live"];
  }

  function promoteNext(transaction: RolloutTransaction, release: ToolRelease, now: number): boolean {
    const rollout = release.rollout!;
    writeRelease(transaction, release);
    for (const lane of lanesToPromote(rollout)) {
      const current = readRelease(transaction, release.tool)!;
      const next = nextStep({ stage: rollout.lanes[lane] }, policyOf(release.tool, rollout.risk, lane));
      if (next && step(transaction, { release: withLane(current, lane, { last: null }), lane, now }, next)) return true;
    }
    return false;
  }

  return {
    observe(transaction, observation) {
      const { tool, rolloutId, lane, at: now, running } = observation;
      const release = readRelease(transaction, tool);
      if (release?.rollout?.id !== rolloutId) return false;
      if (release.rollout.status !== "running") {
        // It was under way when the version was rolled back: it harmed somebody all the same.
        if (release.rollout.status === "rolled_back") countHarm(transaction, observation);
        return false;
      }
      const { latency } = policyOf(tool, release.rollout.risk, lane).limits;
      const { state, call } = countObservation(transaction, { release, latency }, observation);
      const used = release.rollout.lanes[lane].isUsed ? release : withLane(release, lane, { isUsed: true });
      if (used !== release) writeRelease(transaction, used);
      // Scheduled runs are few: a person is asked after the third, not after the twentieth.
      const isDue = isAssessmentDue(state, call) || (lane === "scheduled" && call.arm === "canary");
      if (isDue) decide(transaction, { release: used, lane, now, running }, state);
      return call.position !== "after_failure";
    },
    verify(transaction, verified) {
      const { tool, rolloutId, lane, route, at: now } = verified;
      const release = readRelease(transaction, tool);
      if (release?.rollout?.id !== rolloutId || release.rollout.status !== "running") return;
      const state = countVerified(transaction, verified);
      if (state && route === "canary") decide(transaction, { release, lane, now }, state);
    },
    markWrong(transaction, marked) {
      const { tool, lane, route, executionId, conversationId } = marked;
      const release = readRelease(transaction, tool);
      const rollout = release?.rollout;
      if (!release || rollout?.status !== "running" || marked.startedAt < rollout.startedAt) return "not_tried";
      const hash = route === "canary" ? rollout.hash : release.stable.hash;
      const counters = { rolloutId: rollout.id, lane };
      const state = readState(transaction, counters);
      // The canary failed, which was counted, and stable answered instead.
      if (route === "canary" && marked.version === versionName(tool, release.stable.hash)) return "already";
      if (!state || marked.version !== versionName(tool, hash)) return "not_tried";
      const key = `${lane}:${conversationId ?? executionId}`;
      const isMarked = transaction.findMark(rollout.id, `wrong:${executionId}`) !== undefined;
      // A conversation counts up to its first failure.
      if (isMarked || transaction.findMark(rollout.id, key) === "failed") return "already";
      transaction.mark(rollout.id, `wrong:${executionId}`, "failed");
      transaction.mark(rollout.id, key, "failed");
      markWrong(state, route);
      writeState(transaction, counters, state);
      const kind = placeKind(listKinds(transaction, counters), marked.kind);
      const ofKind = readKindState(transaction, counters, kind);
      if (ofKind) {
        markWrong(ofKind, route);
        writeKindState(transaction, counters, { kind, state: ofKind });
      }
      countCorrection(transaction, rollout.id, marked);
      const harmed = { rolloutId: rollout.id, executionId, conversationId, route, onStable: null };
      countHarm(transaction, { ...harmed, outcome: "wrong", error: marked.reason });
      if (route === "canary") decide(transaction, { release, lane, now: marked.at }, state);
      return "counted";
    },
    assess(reader, at) {
      const { rollout } = at.release;
      const counters = rollout && { rolloutId: rollout.id, lane: at.lane };
      const state = counters && readState(reader, counters);
      if (!state) return undefined;
      const kinds = readKindStates(reader, counters);
      return assess({ ...question(at, state), kinds, ...(at.look && { look: at.look }) });
    },
    isOverdue: (reader, at) => overdue(reader, at) !== undefined,
    noteOverdue(transaction, at) {
      const answer = overdue(transaction, at);
      if (answer) note(transaction, at, answer);
    },
    promote(transaction, release, { to, who, reason, now }) {
      const rollout: Rollout = { ...release.rollout!, status: "running", held: null, reason };
      const running: ToolRelease = { ...release, rollout };
      // To give it to everybody is a person's last word, also about what was pinned before.
      if (to === "all") finish(transaction, { ...running, pinned: null }, now);
      const isOver = to === "all" || promoteNext(transaction, running, now);
      const percent = isOver ? 100 : readRelease(transaction, release.tool)!.rollout!.lanes.live.percent;
      const type = isOver ? "promoted" : "advanced";
      tell(transaction, running, { at: now, type, by: "person", who, reason, figures: { percent } });
    },
    rollBack: rollBackBy,
  };
}

/** What was found, and whether that is news. Between two looks nothing is found out: what was found before still counts. */
function noteAnswer(
  { release, lane: name, now }: JudgedLane,
  answer: Assessment,
): { readonly noted: ToolRelease; readonly isNews: boolean } {
  const { verdict, cause, reason } = answer;
  const { last, told = [] } = release.rollout!.lanes[name];
  const isWorth = isWorthTelling(answer);
  if (cause === "no_look" && last && told.includes(last.cause)) return { noted: release, isNews: false };
  const isNews = isWorth && !told.includes(cause);
  const noted = { last: { at: now, verdict, cause, reason }, ...(isNews && { told: [...told, cause] }) };
  return { noted: withLane(release, name, noted), isNews };
}

function isGated(lane: Lane, policy: ReleasePolicy): boolean {
  const next = nextStep({ stage: lane }, policy);
  if (next === undefined || next.kind === "holdback_end") return false;
  return policy.approve === "each" || (policy.approve === "last" && next.kind === "everybody");
}

function withLane(release: ToolRelease, name: LaneName, change: Partial<Lane>): ToolRelease {
  const rollout = release.rollout!;
  const lanes = { ...rollout.lanes, [name]: { ...rollout.lanes[name], ...change } };
  return { ...release, rollout: { ...rollout, lanes } };
}

function isDone({ lanes }: Rollout): boolean {
  const used = [lanes.live, lanes.scheduled].filter(({ isUsed }) => isUsed);
  const counted = used.length > 0 ? used : [lanes.live];
  return counted.every(({ percent }) => percent >= 100);
}
