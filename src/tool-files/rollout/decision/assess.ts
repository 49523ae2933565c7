import type { Beta } from "./beta.ts";
import { chooseVerdict, nextKind } from "./choose-verdict.ts";
import { probabilityWorse, sampleRatio } from "./compare-rates.ts";
import { describeVerdict } from "./describe-verdict.ts";
import { estimateMissing, fewCallsADay, type Missing } from "./estimate.ts";
import { type Facts, judge, type Judgement, type JudgementCause, lookEvery, type OutcomeCounts } from "./judge.ts";
import { type LatencyBins, quantileOf } from "./latency-bins.ts";
import type { RolloutPolicy } from "./policy.ts";
import { evidenceOf, type ObservedCall, type RolloutState } from "./rollout-state.ts";
import { stablePosterior, stablePosteriorLately, unsafeExcess, weighFailures } from "./weigh-evidence.ts";

export interface RolloutQuestion {
  readonly state: RolloutState;
  readonly policy: RolloutPolicy;
  readonly now: number;
  /** Whether a person has to agree to the next step, and did. No gate keeps a bad version from being rolled back. */
  readonly gate?: "waiting" | "approved";
  /** A person said hold, and why. */
  readonly held?: string;
  /** The same calls by kind of input: what a tenth of the inputs suffers from is lost in the sum. */
  readonly kinds?: Readonly<Record<string, RolloutState>>;
  /** Canary calls that have not ended: the slow ones are among them. */
  readonly running?: number;
  /** Judge progress now, not at the next look: a person asks, or has just approved. */
  readonly look?: "now";
  /** Say what would be done, and do nothing. */
  readonly dryRun?: boolean;
}

export type Verdict = "advance" | "promote" | "hold" | "rollback" | "inconclusive";

export type VerdictCause =
  | JudgementCause
  | (
      | "kind"
      | "no_data"
      | "running"
      | "share"
      | "age"
      | "held"
      | "approval"
      | "unproven"
      | "holdback"
      | "holdback_done"
    );

export interface Assessment {
  readonly verdict: Verdict;
  readonly cause: VerdictCause;
  /** One sentence with its figures. */
  readonly reason: string;
  /** Whether to do it: `none` in a dry run. */
  readonly effect: "act" | "none";
  /** Where `advance` and `promote` lead. */
  readonly next?: { readonly index: number; readonly percent: number };
  /** The kind of input that is worse, if it is one. */
  readonly kind?: {
    readonly name: string;
    readonly calls: number;
    readonly failures: number;
    readonly stableRate: number;
  };
  readonly missing?: Missing;
  /** Calls a day, if they are few. */
  readonly callsPerDay?: number;
  readonly evidence: AssessedEvidence;
}

export interface AssessedEvidence {
  readonly judgedBy: "failures" | "pairs";
  /** The canary's failures that count: with pairs, those that stable did not share. */
  readonly judgedFailures: number;
  readonly canary: AssessedCalls;
  readonly stable: AssessedCalls;
  /** What stable's failure rate was over the same time as the canary's calls. */
  readonly stableRate: number;
  /** P(fails more often than stable), and P(by so much that it must not reach everybody). */
  readonly probabilityWorse: number;
  readonly probabilityUnsafe: number;
  /** Of the latest calls, since the canary last looked as good as stable. */
  readonly lately: { readonly calls: number; readonly failures: number; readonly stableRate: number };
  /** Of all calls since it began; null where calls timed out, or there is none. */
  readonly p95Ms: { readonly canary: number | null; readonly stable: number | null };
  /** Shares of the canary calls that are above the limit, and above the p95, of stable at the same time, which has 5 % above its p95. */
  readonly tail: { readonly calls: number; readonly aboveLimit: number; readonly aboveP95: number };
  readonly sampleRatio: number;
  readonly judgement: Judgement;
}

export interface AssessedCalls extends OutcomeCounts {
  readonly failures: number;
}

/** Held, but not for want of calls. */
const waitsForNoCall: readonly VerdictCause[] = ["held", "approval", "running", "holdback", "done"];

/** Answers what to do with a canary, and why. Pure: the same question has the same answer. */
export function assess(question: RolloutQuestion): Assessment {
  const { state, policy, now } = question;
  const look = question.look === "now" || state.canary.calls % lookEvery === 0 ? "all" : "failures";
  const facts = factsOf(state, policy, look);
  const judgement = judge(facts, policy);
  const kind = judgement.answer === "rollback" ? undefined : findWorseKind(question);
  const decision = kind
    ? ({ verdict: "rollback", cause: "kind" } as const)
    : chooseVerdict(question, judgement, () => isKindSuspect(question));
  const elapsedMs = now - state.stage.startedAt;
  const waits = decision.verdict === "hold" && !waitsForNoCall.includes(decision.cause);
  const missing = waits ? estimateMissing({ facts, judgement, policy, elapsedMs }) : undefined;
  const callsPerDay = fewCallsADay(state, now);
  const answer = {
    ...decision,
    effect: question.dryRun ? ("none" as const) : ("act" as const),
    ...(kind && { kind }),
    ...(missing && { missing }),
    ...(callsPerDay !== undefined && { callsPerDay }),
    evidence: assessedEvidence({ state, facts, judgement, judgedBy: evidenceOf(state).by }),
  };
  return { ...answer, reason: describeVerdict(answer, question) };
}

/** Whether a call can have changed the answer: a canary call that failed, or the one after which progress is judged. */
export function isAssessmentDue(state: RolloutState, call: ObservedCall): boolean {
  if (call.arm === "stable") return false;
  return call.outcome !== "ok" || (call.position !== "after_failure" && state.canary.calls % lookEvery === 0);
}

function factsOf(state: RolloutState, policy: RolloutPolicy, look: Facts["look"]): Facts {
  const { evidence, history } = evidenceOf(state);
  const { index, canaryCalls } = state.stage;
  const stage = { index, canaryCalls, next: nextKind(state, policy) };
  return { evidence, history, canary: state.canary, stable: state.stable, stage, look, scope: "all" };
}

/** Simulated with eight kinds of a good tool: without it 0.6 % more of the rollouts were ended wrongly. */
const kindCaution = 5;
/** So much likelier worse than as good: what is held back stays so until more is known. */
const suspectOdds = 3;

function isKindSuspect({ kinds = {} }: RolloutQuestion): boolean {
  return Object.values(kinds).some((state) => {
    const { evidence, history } = evidenceOf(state);
    return evidence.canary.failures > 0 && weighFailures(evidence, history, "kind").worse > Math.log(suspectOdds);
  });
}

/** With many kinds one of them looks bad by chance: each must be so much surer. */
function findWorseKind({ kinds = {}, policy }: RolloutQuestion): Assessment["kind"] {
  const all = Object.entries(kinds);
  // One kind is all there is, and that is judged already.
  if (all.length < 2) return undefined;
  const strict = { ...policy, odds: { ...policy.odds, rollback: policy.odds.rollback * all.length * kindCaution } };
  for (const [name, state] of all) {
    const facts: Facts = { ...factsOf(state, policy, "failures"), scope: "kind" };
    if (judge(facts, strict).answer !== "rollback") continue;
    return { name, ...facts.evidence.canary, stableRate: stableRate(facts) };
  }
  return undefined;
}

function stableRate({ evidence, history }: Facts): number {
  return meanOf(stablePosterior(evidence, history));
}

function meanOf({ failures, successes }: Beta): number {
  return failures / (failures + successes);
}

function p95Of(bins: LatencyBins): number | null {
  const p95 = quantileOf(bins, 0.95);
  return Number.isFinite(p95) ? p95 : null;
}

function assessedEvidence(known: {
  state: RolloutState;
  facts: Facts;
  judgement: Judgement;
  judgedBy: "failures" | "pairs";
}): AssessedEvidence {
  const { state, facts, judgement, judgedBy } = known;
  const { evidence, history } = facts;
  const stable = stablePosterior(evidence, history);
  const { calls, failures } = evidence.canary;
  const canary = { failures: failures + 0.5, successes: calls - failures + 0.5 };
  const { p95 } = evidence;
  return {
    judgedBy,
    judgedFailures: failures,
    canary: outcomes(state.canary),
    stable: outcomes(state.stable),
    stableRate: stableRate(facts),
    probabilityWorse: probabilityWorse({ canary, stable, excess: { points: 0, share: 0 } }),
    probabilityUnsafe: probabilityWorse({ canary, stable, excess: unsafeExcess }),
    lately: { ...evidence.lately.canary, stableRate: meanOf(stablePosteriorLately(evidence, history)) },
    p95Ms: { canary: p95Of(state.latencies.canary), stable: p95Of(state.latencies.stable) },
    tail: {
      calls: p95.calls,
      aboveLimit: part(p95.aboveAllowed, p95.calls),
      aboveP95: part(p95.aboveQuantile, p95.calls),
    },
    sampleRatio: sampleRatio(state.routed),
    judgement,
  };
}

function outcomes({ calls, errors, timeouts, wrong, fatal }: OutcomeCounts): AssessedCalls {
  return { calls, failures: errors + timeouts + wrong, errors, timeouts, wrong, fatal };
}

function part(some: number, all: number): number {
  return all > 0 ? some / all : 0;
}
