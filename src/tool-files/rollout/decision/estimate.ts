import { exceeding } from "./compare-rates.ts";
import { type Facts, type Judgement, leastStableCalls, lookEvery, neededCalls, neededOdds } from "./judge.ts";
import type { RolloutPolicy } from "./policy.ts";
import type { RolloutState } from "./rollout-state.ts";
import { stablePosterior, tooSlowPart, unsafeExcess } from "./weigh-evidence.ts";

/** What the next step still needs if the canary is as good as stable. */
export interface Missing {
  readonly canaryCalls: number;
  /** At the rate of the present stage; unknown before the first call of it. */
  readonly milliseconds?: number;
}

const day = 24 * 60 * 60_000;
/** Below this many calls a day a rollout takes weeks. */
const fewCallsPerDay = 100;
const soonestMs = day / 4;

export function estimateMissing(question: {
  facts: Facts;
  judgement: Judgement;
  policy: RolloutPolicy;
  elapsedMs: number;
}): Missing {
  const { facts, judgement, policy, elapsedMs } = question;
  const canaryCalls = untilLook(facts.canary.calls, missingCalls(facts, judgement, policy));
  const done = facts.stage.canaryCalls;
  // A clock that was set back tells nothing about the rate.
  if (done === 0 || elapsedMs <= 0) return { canaryCalls };
  return { canaryCalls, milliseconds: Math.ceil((canaryCalls * elapsedMs) / done) };
}

/** Calls a day in both arms, if they are so few that a person should know. */
export function fewCallsADay({ startedAt, canary, stable }: RolloutState, now: number): number | undefined {
  const elapsedMs = now - startedAt;
  if (elapsedMs < soonestMs) return undefined;
  const perDay = ((canary.calls + stable.calls) * day) / elapsedMs;
  return perDay < fewCallsPerDay ? perDay : undefined;
}

/** Progress is judged at every so many calls only. */
function untilLook(calls: number, missing: number): number {
  return Math.max(1, Math.ceil((calls + Math.max(missing, 1)) / lookEvery)) * lookEvery - calls;
}

function missingCalls(facts: Facts, judgement: Judgement, policy: RolloutPolicy): number {
  const { canary, stable, evidence, history } = facts;
  const calls = neededCalls(facts, policy) - canary.calls;
  const share = canary.calls / Math.max(canary.calls + stable.calls, 1);
  const forStable = ((leastStableCalls - stable.calls) * share) / Math.max(1 - share, 0.01);
  const posterior = stablePosterior(evidence, history);
  const rate = posterior.failures / (posterior.failures + posterior.successes);
  const odds = neededOdds(facts, policy);
  const gap = Math.log(odds.failures) + (judgement.failures?.unsafe ?? 0);
  // Stable's rate is not known exactly either: the fewer calls it has, the less each canary call tells.
  const telling = Math.max(1 - share, 0.2);
  const forFailures = gap / (divergence(rate, exceeding(rate, unsafeExcess)) * telling);
  const tailGap = Math.log(odds.p95) + (judgement.p95?.tooSlow ?? 0);
  const tail = evidence.p95;
  const usual = tail.calls > 0 ? tail.expectedTooSlow / tail.calls : 0.026;
  const forTail = tailGap / (divergence(usual, tooSlowPart * 0.05) * telling);
  return Math.max(calls, forStable, forFailures, forTail);
}

/** By how much one call that follows the first rate speaks for it, and against the second. */
function divergence(rate: number, other: number): number {
  const against = Math.min(other, 0.999);
  return rate * Math.log(rate / against) + (1 - rate) * Math.log((1 - rate) / (1 - against));
}
