import { probabilityWorse } from "./compare-rates.ts";
import type { Evidence, History } from "./rollout-evidence.ts";
import type { RolloutPolicy } from "./policy.ts";
import {
  type FailureWeights,
  type Scope,
  stablePosterior,
  type TailWeights,
  weighFailures,
  weighTail,
} from "./weigh-evidence.ts";

/** All that the rule looks at. */
export interface Facts {
  readonly evidence: Evidence;
  readonly history: History;
  readonly canary: OutcomeCounts;
  readonly stable: OutcomeCounts;
  readonly stage: {
    readonly index: number;
    readonly canaryCalls: number;
    readonly next: "stage" | "everybody" | "none";
  };
  /**
   * `failures`: only whether the failures are too many; asked after a failure. `all`: whether to go on as well, every
   * `lookEvery` calls: who looks at each call finds what looks good by chance.
   */
  readonly look: "failures" | "all";
  readonly scope: Scope;
}

export interface OutcomeCounts {
  readonly calls: number;
  readonly errors: number;
  readonly timeouts: number;
  /** Succeeded with a wrong result: of another form, judged bad, or marked as bad by a person. */
  readonly wrong: number;
  /** Permission, data corruption, a crash of the host: one is enough. */
  readonly fatal: number;
}

export interface Judgement {
  readonly answer: "go_on" | "hold" | "rollback";
  readonly cause: JudgementCause;
  readonly failures?: FailureWeights;
  readonly p95?: TailWeights;
  readonly p90?: TailWeights;
}

export type JudgementCause =
  | ("fatal" | "worse" | "worse_lately" | "above_limit" | "slower" | "not_proven")
  | ("no_look" | "few_stable" | "few_calls" | "evidence" | "error_limit" | "timeout_limit" | "p95_limit" | "done")
  | "safe";

export const lookEvery = 20;
/** Fewer calls of stable are nothing to compare with. */
export const leastStableCalls = 100;
const leastFailures = { all: 4, kind: 3 };
/** Many stretches end lately: each must be surer than the whole; less so where everybody has it, and each call counts. */
const latelyCaution = { trial: 15, watched: 10 };
/** Latency: slower in more than one block, or slower beyond all doubt. */
const slowerOdds = { elsewhere: 90, anywhere: 8000 };
/** Latency: what must be this much likelier before everybody gets it. */
const fastEnoughOdds = { p95: 4, p90: 50 };
/** What is still here after all calls are used up is not bad: then less is enough. */
const finalOdds = { failures: 3, failuresAlone: 1.5, p95: 1.5, p90: 1.5 };
/** What may look good in a second way does so by chance more often. */
const aloneCaution = 20;
/** What looks good sooner is more often luck: it must look better. */
const earlyCalls = 450;
const credible = 0.95;

export function judge(facts: Facts, policy: RolloutPolicy): Judgement {
  const { evidence, history, canary, stable } = facts;
  if (canary.fatal > 0) return { answer: "rollback", cause: "fatal" };
  const failures = weighFailures(evidence, history, facts.scope);
  const tooMany = judgeFailures(facts, failures, policy);
  if (tooMany !== undefined) return { answer: "rollback", cause: tooMany, failures };
  if (facts.look === "failures") return { answer: "hold", cause: "no_look", failures };
  if (stable.calls < leastStableCalls) return { answer: "hold", cause: "few_stable", failures };
  const weights = { failures, p95: weighTail(evidence.p95), p90: weighTail(evidence.p90) };
  if (isSlower(evidence, weights)) return { answer: "rollback", cause: "slower", ...weights };
  return { ...judgeProgress(facts, weights, policy), ...weights };
}

function judgeFailures(
  { evidence, history, scope, stage }: Facts,
  { worse, worseLately }: FailureWeights,
  { odds, limits }: RolloutPolicy,
): "worse" | "worse_lately" | "above_limit" | undefined {
  const { calls, failures } = evidence.canary;
  if (failures < leastFailures[scope]) return undefined;
  const isWatched = stage.next === "none";
  if (worse > Math.log(odds.rollback * (isWatched ? 2 : 1))) return "worse";
  const caution = latelyCaution[isWatched ? "watched" : "trial"];
  if (evidence.lately.canary.failures >= leastFailures[scope] && worseLately > Math.log(odds.rollback * caution)) {
    return "worse_lately";
  }
  const stable = stablePosterior(evidence, history);
  const excess = failures / calls - stable.failures / (stable.failures + stable.successes);
  if (calls < limits.calls || excess <= limits.rollbackRate) return undefined;
  const above = probabilityWorse({
    canary: { failures: failures + 0.5, successes: calls - failures + 0.5 },
    stable,
    excess: { points: limits.rollbackRate, share: 0 },
  });
  return above > credible ? "above_limit" : undefined;
}

interface AllWeights {
  readonly failures: FailureWeights;
  readonly p95: TailWeights;
  readonly p90: TailWeights;
}

function isSlower(evidence: Evidence, { p95, p90 }: AllWeights): boolean {
  if (evidence.p95.calls < lookEvery) return false;
  return [p95, p90].some(
    ({ slower, slowerElsewhere }) =>
      slower > Math.log(slowerOdds.anywhere) || slowerElsewhere > Math.log(slowerOdds.elsewhere),
  );
}

type Progress = Pick<Judgement, "answer" | "cause">;

function judgeProgress(facts: Facts, weights: AllWeights, policy: RolloutPolicy): Progress {
  const { stage, canary } = facts;
  if (stage.next === "none") return { answer: "hold", cause: "done" };
  const usedUp = canary.calls >= policy.maxCanaryCalls;
  const blocked = usedUp ? undefined : tooFew(facts, policy);
  const cause = blocked ?? missedLimit(facts, policy) ?? missedOdds(weights, neededOdds(facts, policy));
  if (cause === undefined) return { answer: "go_on", cause: "safe" };
  return usedUp ? { answer: "rollback", cause: "not_proven" } : { answer: "hold", cause };
}

/** The canary calls that the present stage, or the step to everybody, needs at least. */
export function neededCalls({ stage, canary }: Facts, { limits }: RolloutPolicy): number {
  const forStage = canary.calls - stage.canaryCalls + limits.stageCalls;
  return stage.next === "everybody" ? Math.max(limits.calls, forStage) : forStage;
}

function tooFew(facts: Facts, policy: RolloutPolicy): "few_calls" | undefined {
  return facts.canary.calls < neededCalls(facts, policy) ? "few_calls" : undefined;
}

function missedLimit({ evidence, history, canary, stable }: Facts, { limits }: RolloutPolicy) {
  if (canary.calls < limits.calls) return undefined;
  const expected = stablePosterior(evidence, history);
  const excess =
    evidence.canary.failures / evidence.canary.calls - expected.failures / (expected.failures + expected.successes);
  if (excess > limits.errorRate) return "error_limit";
  if (canary.timeouts / canary.calls - stable.timeouts / stable.calls > limits.timeoutRate) return "timeout_limit";
  const { calls, tooSlow, expectedSlow } = evidence.p95;
  return calls >= limits.calls && tooSlow > expectedSlow ? "p95_limit" : undefined;
}

export interface NeededOdds {
  readonly failures: number;
  /** The same by stable's calls of the same block alone: one of the two is enough. */
  readonly failuresAlone: number;
  readonly p95: number;
  readonly p90: number;
}

export function neededOdds({ stage, canary }: Facts, { odds, maxCanaryCalls }: RolloutPolicy): NeededOdds {
  if (canary.calls >= maxCanaryCalls) {
    return finalOdds;
  }
  if (stage.next === "everybody") {
    const failures = odds.promote * Math.max(1, earlyCalls / canary.calls) ** 2;
    return { failures, failuresAlone: failures * aloneCaution, ...fastEnoughOdds };
  }
  const advance = odds.advance[Math.min(stage.index, odds.advance.length - 1)] as number;
  return { failures: advance, failuresAlone: advance, p95: advance, p90: advance };
}

function missedOdds({ failures, p95, p90 }: AllWeights, needed: NeededOdds): "evidence" | undefined {
  const reached =
    (failures.unsafe < -Math.log(needed.failures) || failures.unsafeAlone < -Math.log(needed.failuresAlone)) &&
    p95.tooSlow < -Math.log(needed.p95) &&
    p90.tooSlow < -Math.log(needed.p90);
  return reached ? undefined : "evidence";
}
