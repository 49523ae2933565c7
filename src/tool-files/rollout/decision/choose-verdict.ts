import type { Assessment, RolloutQuestion, VerdictCause } from "./assess.ts";
import { leastSampleRatio, sampleRatio } from "./compare-rates.ts";
import type { Judgement, JudgementCause } from "./judge.ts";
import type { RolloutPolicy } from "./policy.ts";
import type { RolloutState } from "./rollout-state.ts";

/** Many calls that still run may all be hanging. */
const mostRunning = 0.05;

export type Decision = Pick<Assessment, "verdict" | "cause" | "next">;

/** From what the counts say to what is done: where people, age, routing and stages come in. */
export function chooseVerdict(
  question: RolloutQuestion,
  { answer, cause }: Judgement,
  /** Whether one kind of input looks bad, and too few calls of it are known. */
  isKindSuspect: () => boolean,
): Decision {
  const { state, policy, now } = question;
  // First, whatever else there is: waiting for a person must not keep a bad version alive.
  if (answer === "rollback") return { verdict: "rollback", cause };
  if (state.canary.calls === 0) return { verdict: "hold", cause: "no_data" };
  if (sampleRatio(state.routed) < leastSampleRatio) return { verdict: "inconclusive", cause: "share" };
  if (question.held !== undefined) return { verdict: "hold", cause: "held" };
  const step = nextStep(state, policy);
  if (step === undefined) return { verdict: "hold", cause: "done" };
  const tooOld = step.kind !== "holdback_end" && now - state.startedAt > policy.maxAgeMs;
  const ready =
    answer === "go_on" || isHeldBackLongEnough(question, step, isKindSuspect) || isRunOften(question, cause);
  if (!ready) {
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

export interface Step {
  readonly index: number;
  readonly percent: number;
  readonly kind: "stage" | "everybody" | "holdback_end";
}

/** Undefined once everybody has it. */
export function nextStep(
  { stage }: { readonly stage: Pick<RolloutState["stage"], "index" | "percent"> },
  { stages, holdback }: RolloutPolicy,
): Step | undefined {
  const last = stages.length - 1;
  if (stage.percent >= 100) return undefined;
  if (stage.index >= last) return { index: last, percent: 100, kind: "holdback_end" };
  const percent = stages[stage.index + 1] as number;
  if (percent < 100) return { index: stage.index + 1, percent, kind: "stage" };
  return { index: last, percent: 100 - holdback.percent, kind: "everybody" };
}

export function nextKind(state: RolloutState, policy: RolloutPolicy): "stage" | "everybody" | "none" {
  const kind = nextStep(state, policy)?.kind;
  return kind === undefined || kind === "holdback_end" ? "none" : kind;
}

/** Everybody else has it: enough calls, or enough time, without a regression; up to three times as long while a kind is suspect. */
function isHeldBackLongEnough(
  { state: { stage }, policy: { holdback }, now }: RolloutQuestion,
  step: Step,
  isKindSuspect: () => boolean,
): boolean {
  if (step.kind !== "holdback_end") return false;
  const part = Math.max(stage.canaryCalls / holdback.calls, (now - stage.startedAt) / holdback.elapsedMs);
  return part >= 3 || (part >= 1 && !isKindSuspect());
}

/** Scheduled runs are too few to prove anything: enough of them without a failure over a while, and a person decides. */
function isRunOften({ state, policy, now }: RolloutQuestion, cause: JudgementCause): boolean {
  const { canary, stage, startedAt } = state;
  if (policy.scope !== "scheduled" || stage.index >= policy.stages.length - 1) return false;
  if (!["no_look", "few_stable", "few_calls", "evidence"].includes(cause)) return false;
  const enough = stage.canaryCalls >= policy.scheduled.runs && now - startedAt >= policy.scheduled.elapsedMs;
  return enough && canary.errors + canary.timeouts + canary.wrong === 0;
}

function unreadyCause({ scope }: RolloutPolicy, cause: JudgementCause, step: Step): VerdictCause {
  if (step.kind === "holdback_end") return "holdback";
  return scope === "scheduled" ? "unproven" : cause;
}

function manyRunning({ running, state }: RolloutQuestion): boolean {
  return running !== undefined && running > Math.max(1, mostRunning * state.canary.calls);
}
