import type { Assessment, RolloutQuestion } from "./assess.ts";
import { type Judgement, leastStableCalls } from "./judge.ts";

/** The verdict in one sentence with the figures that led to it. */
export function describeVerdict(answer: Omit<Assessment, "reason">, question: RolloutQuestion): string {
  const text = `${opening(answer)}: ${describeCause(answer, question)}${question.policy.scope === "live" ? describeFewCalls(answer) : ""}`;
  return answer.effect === "none" ? `dry run, would be ${text}` : text;
}

function opening({ verdict, next }: Omit<Assessment, "reason">): string {
  if (verdict === "advance") return `advanced to ${next?.percent} %`;
  if (verdict === "promote") return "promoted to 100 %";
  return { hold: "held", rollback: "rolled back", inconclusive: "inconclusive" }[verdict];
}

function describeCause(answer: Omit<Assessment, "reason">, question: RolloutQuestion): string {
  const { evidence } = answer;
  const { state, policy } = question;
  const { canary, stable } = evidence;
  const noun = policy.scope === "scheduled" ? "run" : "call";
  const failed = `${several(canary.calls, `canary ${noun}`)}, ${describeFailures(answer)}`;
  const { limits } = policy;
  switch (answer.cause) {
    case "fatal":
      return `${several(canary.fatal, "fatal error")} in ${several(canary.calls, `canary ${noun}`)}`;
    case "worse":
      return `${failed}; worse with ${probability(evidence.probabilityWorse)} probability`;
    case "worse_lately": {
      const { calls, failures, stableRate } = evidence.lately;
      return `${integer(failures)} of the last ${several(calls, `canary ${noun}`)} failed (stable ${percent(stableRate)} at the same time); it was better before`;
    }
    case "above_limit":
      return `${failed}; more than ${percent(limits.rollbackRate)} above stable`;
    case "slower":
      return `${describeP95(answer)}; ${percent(evidence.tail.aboveP95)} of ${several(evidence.tail.calls, "canary call")} were slower than stable's p95 at the same time, where 5 % is usual (up to ${milliseconds(state.latency.milliseconds)} more does not count)`;
    case "kind":
      return `inputs of kind "${answer.kind?.name}": ${answer.kind?.failures} of ${several(answer.kind?.calls ?? 0, "canary call")} failed (stable ${percent(answer.kind?.stableRate ?? 0)} at the same time)`;
    case "not_proven":
      return `${failed}; that is all calls it gets, and they do not show that it is safe`;
    case "share":
      return `the canary got ${several(state.routed.canary, "conversation")} where ${integer(state.routed.expected)} were to be expected, so the routing is not random and the figures say nothing; check the sticky keys`;
    case "age":
      return `${duration(question.now - state.startedAt)} old and still not proven; ${failed}; promote it by hand (risk ${probability(evidence.probabilityUnsafe)}) or roll it back`;
    case "held":
      return `by hand (${question.held}); ${failed}`;
    case "no_data":
      return `no canary ${noun} yet`;
    case "running":
      return `${several(question.running ?? 0, "canary call")} still running, after ${integer(canary.calls)} that ended`;
    case "approval":
      return `${unproven(answer, question)}waiting for approval of the next stage; ${failed}`;
    case "unproven":
      return `${unproven(answer, question)}${failed}`;
    case "holdback":
      return `${integer(state.stage.canaryCalls)} of ${several(policy.holdback.calls, "call")} with ${policy.holdback.percent} % on the old version`;
    case "holdback_done":
      return `no regression in ${several(state.stage.canaryCalls, "call")} beside the old version`;
    case "few_stable":
      return `${integer(stable.calls)} of ${leastStableCalls} stable calls to compare with${describeTime(answer)}`;
    case "error_limit":
      return `${failed}; at most ${percent(limits.errorRate)} more than stable may`;
    case "timeout_limit":
      return `${canary.timeouts} of ${several(canary.calls, "canary call")} timed out, stable ${stable.timeouts} of ${integer(stable.calls)}; at most ${percent(limits.timeoutRate)} more than stable may`;
    case "p95_limit":
      return `${describeP95(answer)}; ${percent(evidence.tail.aboveLimit)} of ${several(evidence.tail.calls, "canary call")} were above the limit of stable's p95 at the same time + ${percent(state.latency.share)}, at least + ${milliseconds(state.latency.milliseconds)}; at most 5 % may`;
    case "done":
      return `everybody has it; ${failed}`;
    case "safe":
      return `${failed}; ${describeOdds(evidence.judgement)}`;
    case "no_look":
    case "few_calls":
    case "evidence":
      return describeProgress(answer);
  }
}

function describeProgress(answer: Omit<Assessment, "reason">): string {
  const { calls, failures } = answer.evidence.canary;
  const needed = calls + (answer.missing?.canaryCalls ?? 0);
  const failed = failures > 0 ? `, ${describeFailures(answer)}` : "";
  return `${integer(calls)} of ${integer(needed)} canary calls${failed}${describeTime(answer)}`;
}

function describeFailures({ evidence }: Omit<Assessment, "reason">): string {
  const { canary, judgedBy, judgedFailures, stableRate } = evidence;
  const only = judgedBy === "pairs" ? `, ${integer(judgedFailures)} of them on the canary only` : "";
  return `${integer(canary.failures)} failed${only} (stable ${percent(stableRate)} at the same time)`;
}

/** The first stages ask for little: there it may still be the less likely explanation. */
function describeOdds({ failures }: Judgement): string {
  const logOdds = failures ? -Math.min(failures.unsafe, failures.unsafeAlone) : 0;
  if (logOdds >= 0) return `as good as stable is ${times(logOdds)} times likelier than unsafe`;
  return `as good as stable is ${Math.exp(logOdds).toFixed(1)} times as likely as unsafe, enough for this step`;
}

function describeP95({ evidence }: Omit<Assessment, "reason">): string {
  const { canary, stable } = evidence.p95Ms;
  return `p95 ${latency(canary)}, stable ${latency(stable)}`;
}

/** Of a call that timed out nobody knows how long it would have taken. */
function latency(value: number | null): string {
  return value === null ? "beyond the time limit" : milliseconds(value);
}

/** Scheduled runs that reached the odds of live calls are proven like these. */
function unproven({ evidence }: Omit<Assessment, "reason">, { policy }: RolloutQuestion): string {
  if (policy.scope === "live" || evidence.judgement.answer === "go_on") return "";
  return `unproven (${several(evidence.canary.calls, "run")}); `;
}

function describeTime({ missing }: Omit<Assessment, "reason">): string {
  return missing?.milliseconds === undefined ? "" : `; about ${duration(missing.milliseconds)} more`;
}

function describeFewCalls({ callsPerDay, verdict, evidence }: Omit<Assessment, "reason">): string {
  if (callsPerDay === undefined || verdict !== "hold") return "";
  return `; only ${integer(callsPerDay)} calls a day: replay recorded calls, route half of them to the canary, or promote by hand (risk ${probability(evidence.probabilityUnsafe)})`;
}

/** "1.2 %", with as many digits as say something. */
function percent(share: number): string {
  const value = share * 100;
  const digits = value >= 10 || Number.isInteger(value) ? 0 : value >= 0.095 || value === 0 ? 1 : 2;
  return `${value.toFixed(digits)} %`;
}

/** A probability is never called certain. */
function probability(share: number): string {
  if (share > 0.999) return "more than 99.9 %";
  if (share < 0.001) return "less than 0.1 %";
  return percent(share);
}

function times(logOdds: number): string {
  const odds = Math.exp(Math.min(logOdds, 20));
  return odds >= 1e6 ? "over a million" : odds >= 10 ? integer(odds) : odds.toFixed(1);
}

function integer(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function several(count: number, noun: string): string {
  return `${integer(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "4.2 ms", "47 ms", "1,250 ms". */
function milliseconds(value: number): string {
  return `${value < 10 && !Number.isInteger(value) ? value.toFixed(1) : integer(value)} ms`;
}

const units: readonly (readonly [string, number])[] = [
  ["day", 24 * 60 * 60_000],
  ["hour", 60 * 60_000],
  ["minute", 60_000],
];

function duration(milliseconds: number): string {
  for (const [noun, length] of units) {
    if (milliseconds >= length * 0.95) return several(Math.round(milliseconds / length) || 1, noun);
  }
  return "a minute";
}
