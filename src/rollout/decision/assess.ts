import { probabilityWorse } from "./compare-rates.ts";
import { describeVerdict } from "./describe-verdict.ts";
import { estimateMissing, fewCallsADay, type Missing } from "./estimate.ts";
import { type Facts, judge, type Judgement, type JudgementCause, lookEvery, type OutcomeCounts } from "./judge.ts";
import type { RolloutPolicy } from "./policy.ts";
import { evidenceOf, type ObservedCall, type RolloutState } from "./rollout-state.ts";
import { leastSampleRatio, sampleRatio } from "./sample-ratio.ts";
import { stablePosterior, unsafeExcess } from "./weigh-evidence.ts";

export interface RolloutQuestion {
  readonly state: RolloutState;
  readonly policy: RolloutPolicy;
  readonly now: number;
  /** Whether a person has to agree to the next step, and did. No gate keeps a bad version from being rolled back. */
  readonly gate?: "waiting" | "approved";
  /** A person said hold, and why. */
  readonly held?: string;
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
  | ("no_data" | "running" | "share" | "age" | "held" | "approval" | "unproven" | "holdback" | "holdback_done");

export interface Assessment {
  readonly verdict: Verdict;
  readonly cause: VerdictCause;
  /** One sentence with its figures. */
  readonly reason: string;
  /** Whether to do it: `none` in a dry run. */
  readonly effect: "act" | "none";
  /** Where `advance` and `promote` lead. */
  readonly next?: { readonly index: number; readonly percent: number };
  readonly missing?: Missing;
  /** Calls a day, if they are few. */
  readonly callsPerDay?: number;
  readonly evidence: AssessedEvidence;
}

export interface AssessedEvidence {
  readonly judgedBy: "failures" | "pairs";
  readonly canary: AssessedCalls;
  readonly stable: AssessedCalls;
  /** What stable's failure rate was over the same time as the canary's calls. */
  readonly stableRate: number;
  /** P(fails more often than stable), and P(by so much that it must not reach everybody). */
  readonly probabilityWorse: number;
  readonly probabilityUnsafe: number;
  /** Canary calls above stable's p95 + 20 %, and above its p95, as shares; stable itself has 5 % above its p95. */
  readonly tail: { readonly calls: number; readonly aboveLimit: number; readonly aboveP95: number };
  readonly sampleRatio: number;
  readonly judgement: Judgement;
}

export interface AssessedCalls extends OutcomeCounts {
  readonly failures: number;
}

/** Many calls that still run may all be hanging. */
const mostRunning = 0.05;

/** Answers what to do with a canary, and why. Pure: the same question has the same answer. */
export function assess(question: RolloutQuestion): Assessment {
  const { state, policy, now } = question;
  const { by, evidence, history } = evidenceOf(state);
  const facts: Facts = {
    evidence,
    history,
    canary: state.canary,
    stable: state.stable,
    stage: { index: state.stage.index, canaryCalls: state.stage.canaryCalls, next: nextKind(state, policy) },
    look: question.look === "now" || state.canary.calls % lookEvery === 0 ? "all" : "failures",
  };
  const judgement = judge(facts, policy);
  const decision = settle(question, judgement);
  const elapsedMs = now - state.stage.startedAt;
  const missing = decision.verdict === "hold" ? estimateMissing({ facts, judgement, policy, elapsedMs }) : undefined;
  const callsPerDay = fewCallsADay(state, now);
  const answer = {
    ...decision,
    effect: question.dryRun ? ("none" as const) : ("act" as const),
    ...(missing && { missing }),
    ...(callsPerDay !== undefined && { callsPerDay }),
    evidence: assessedEvidence({ state, facts, judgement, judgedBy: by }),
  };
  return { ...answer, reason: describeVerdict(answer, question) };
}

/** Whether a call can have changed the answer: a canary call that failed, or the one after which progress is judged. */
export function isAssessmentDue(state: RolloutState, call: ObservedCall): boolean {
  if (call.arm === "stable") return false;
  return call.outcome !== "ok" || (call.position !== "after_failure" && state.canary.calls % lookEvery === 0);
}

type Decision = Pick<Assessment, "verdict" | "cause" | "next">;

function settle(question: RolloutQuestion, { answer, cause }: Judgement): Decision {
  const { state, policy, now } = question;
  // First, whatever else there is: waiting for a person must not keep a bad version alive.
  if (answer === "rollback") return { verdict: "rollback", cause };
  if (state.canary.calls === 0) return { verdict: "hold", cause: "no_data" };
  if (sampleRatio(state.routed) < leastSampleRatio) return { verdict: "inconclusive", cause: "share" };
  if (question.held !== undefined) return { verdict: "hold", cause: "held" };
  const step = nextStep(state, policy);
  const tooOld = now - state.startedAt > policy.maxAgeMs && step !== undefined;
  const ready = answer === "go_on" || isHeldBackLongEnough(state, policy, step) || isRunOften(question, cause);
  if (!ready || step === undefined) {
    if (tooOld) return { verdict: "inconclusive", cause: "age" };
    return { verdict: "hold", cause: unreadyCause(policy, cause, step) };
  }
  if (manyRunning(question)) return { verdict: "hold", cause: "running" };
  // What a few scheduled runs can't prove, a person has to take on.
  const needsPerson = answer !== "go_on" && policy.scope === "scheduled" && step.kind !== "holdback_end";
  if (question.gate === "waiting" || (needsPerson && question.gate !== "approved")) {
    return { verdict: "hold", cause: "approval" };
  }
  const { index, percent } = step;
  const reached = step.kind === "holdback_end" ? "holdback_done" : needsPerson ? "unproven" : cause;
  return { verdict: percent === 100 ? "promote" : "advance", cause: reached, next: { index, percent } };
}

interface Step {
  readonly index: number;
  readonly percent: number;
  readonly kind: "stage" | "everybody" | "holdback_end";
}

/** Undefined once everybody has it. */
function nextStep({ stage }: RolloutState, { stages, holdback }: RolloutPolicy): Step | undefined {
  const last = stages.length - 1;
  if (stage.percent >= 100) return undefined;
  if (stage.index >= last) return { index: last, percent: 100, kind: "holdback_end" };
  const percent = stages[stage.index + 1] as number;
  if (percent < 100) return { index: stage.index + 1, percent, kind: "stage" };
  return { index: last, percent: 100 - holdback.percent, kind: "everybody" };
}

function nextKind(state: RolloutState, policy: RolloutPolicy): "stage" | "everybody" | "none" {
  const kind = nextStep(state, policy)?.kind;
  return kind === undefined || kind === "holdback_end" ? "none" : kind;
}

function isHeldBackLongEnough({ stage }: RolloutState, { holdback }: RolloutPolicy, step: Step | undefined): boolean {
  return step?.kind === "holdback_end" && stage.canaryCalls >= holdback.calls;
}

/** Scheduled runs are too few to prove anything: enough of them without a failure over a while, and a person decides. */
function isRunOften({ state, policy, now }: RolloutQuestion, cause: JudgementCause): boolean {
  const { canary, stage, startedAt } = state;
  if (policy.scope !== "scheduled" || stage.index >= policy.stages.length - 1) return false;
  if (!["no_look", "few_stable", "few_calls", "evidence"].includes(cause)) return false;
  const enough = stage.canaryCalls >= policy.scheduled.runs && now - startedAt >= policy.scheduled.elapsedMs;
  return enough && canary.errors + canary.timeouts === 0;
}

function unreadyCause({ scope }: RolloutPolicy, cause: JudgementCause, step: Step | undefined): VerdictCause {
  if (step?.kind === "holdback_end") return "holdback";
  return scope === "scheduled" && step !== undefined ? "unproven" : cause;
}

function manyRunning({ running, state }: RolloutQuestion): boolean {
  return running !== undefined && running > Math.max(1, mostRunning * state.canary.calls);
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
    canary: outcomes(state.canary),
    stable: outcomes(state.stable),
    stableRate: stable.failures / (stable.failures + stable.successes),
    probabilityWorse: probabilityWorse({ canary, stable, excess: { points: 0, share: 0 } }),
    probabilityUnsafe: probabilityWorse({ canary, stable, excess: unsafeExcess }),
    tail: { calls: p95.calls, aboveLimit: part(p95.tooSlow, p95.calls), aboveP95: part(p95.slow, p95.calls) },
    sampleRatio: sampleRatio(state.routed),
    judgement,
  };
}

function outcomes({ calls, errors, timeouts, fatal }: OutcomeCounts): AssessedCalls {
  return { calls, failures: errors + timeouts, errors, timeouts, fatal };
}

function part(some: number, all: number): number {
  return all > 0 ? some / all : 0;
}
