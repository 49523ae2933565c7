import { addBlock, addFailures } from "./add-block.ts";
import { defaultLatency, type LatencyAllowance } from "./policy.ts";
import { type ArmSample, type Block, type Evidence, type History, noEvidence, type Tally } from "./rollout-evidence.ts";
import type { OutcomeCounts } from "./judge.ts";
import { countAbove, countLatency, createLatencyBins, type LatencyBins, quantileOf } from "./latency-bins.ts";

/**
 * What is remembered of a canary: plain JSON, of the same size after ten calls and after a million. Live calls and
 * scheduled runs have one each.
 */
export interface RolloutState {
  readonly startedAt: number;
  /** The stable version before, as calls and failures; with `discordant` as far as its failures were verified. */
  readonly history: History & { readonly discordant: number };
  /** By how much it may be slower: what the settings said when it began. */
  readonly latency: LatencyAllowance;
  stage: StageState;
  canary: ArmTotals;
  stable: ArmTotals;
  /** Conversations by the arm that they were given to, against the share that was wanted. */
  routed: { canary: number; expected: number; variance: number };
  /** Of all closed blocks: by failures, and by failures that stable did not share. */
  evidence: Evidence;
  paired: Evidence;
  /** Of all calls: what p95 people are told. */
  latencies: { canary: LatencyBins; stable: LatencyBins };
  open: { canary: BlockCounts; stable: BlockCounts };
  previousStable: BlockCounts | undefined;
}

export interface StageState {
  readonly index: number;
  readonly percent: number;
  readonly startedAt: number;
  canaryCalls: number;
}

export interface ArmTotals extends OutcomeCounts {
  /** Failures that were run again on stable, and those of them that succeeded there. */
  readonly verified: number;
  readonly discordant: number;
}

interface BlockCounts {
  calls: number;
  failures: number;
  discordant: number;
  bins: LatencyBins;
}

export interface ObservedCall {
  readonly arm: "stable" | "canary";
  readonly outcome: "ok" | "error" | "timeout" | "wrong" | "fatal";
  readonly latencyMs: number;
  /** Where this call stands in its conversation: after a failure it counts for neither arm. */
  readonly position: "first" | "later" | "after_failure";
  /** What stable said when a failed call was run on it again. */
  readonly onStable?: "ok" | "failed";
}

const blockCalls = 250;
const noTotals: ArmTotals = { calls: 0, errors: 0, timeouts: 0, wrong: 0, fatal: 0, verified: 0, discordant: 0 };

export function createRolloutState(start: {
  now: number;
  percent: number;
  history?: { calls: number; failures: number; discordant: number };
  latency?: LatencyAllowance;
}): RolloutState {
  return {
    startedAt: start.now,
    history: start.history ?? { calls: 0, failures: 0, discordant: 0 },
    latency: start.latency ?? defaultLatency,
    stage: { index: 0, percent: start.percent, startedAt: start.now, canaryCalls: 0 },
    canary: noTotals,
    stable: noTotals,
    routed: { canary: 0, expected: 0, variance: 0 },
    evidence: noEvidence,
    paired: noEvidence,
    latencies: { canary: createLatencyBins(), stable: createLatencyBins() },
    open: { canary: noCalls(), stable: noCalls() },
    previousStable: undefined,
  };
}

/** Counts one settled call, in constant time; the state is changed in place. */
export function observeCall(state: RolloutState, call: ObservedCall): void {
  if (call.position === "first") countRouted(state, call.arm);
  const fatal = call.outcome === "fatal" ? 1 : 0;
  if (call.position === "after_failure") {
    state[call.arm] = { ...state[call.arm], fatal: state[call.arm].fatal + fatal };
    return;
  }
  const failed = call.outcome !== "ok";
  const discordant = failed && call.onStable === "ok" ? 1 : 0;
  const totals = state[call.arm];
  state[call.arm] = {
    calls: totals.calls + 1,
    errors: totals.errors + (call.outcome === "error" || call.outcome === "fatal" ? 1 : 0),
    timeouts: totals.timeouts + (call.outcome === "timeout" ? 1 : 0),
    wrong: totals.wrong + (call.outcome === "wrong" ? 1 : 0),
    fatal: totals.fatal + fatal,
    verified: totals.verified + (failed && call.onStable !== undefined ? 1 : 0),
    discordant: totals.discordant + discordant,
  };
  // A block ends before a call, not after one: the newest call is always in the open block.
  if (state.open.canary.calls + state.open.stable.calls >= blockCalls) closeBlock(state);
  const block = state.open[call.arm];
  block.calls += 1;
  block.failures += failed ? 1 : 0;
  block.discordant += discordant;
  const latencyMs = call.outcome === "timeout" ? Infinity : call.latencyMs;
  countLatency(block.bins, latencyMs);
  countLatency(state.latencies[call.arm], latencyMs);
  if (call.arm === "canary") state.stage.canaryCalls += 1;
}

/** A call that was counted as good turned out to be bad, by a person's word: one failure more, and no call more. */
export function markWrong(state: RolloutState, arm: "stable" | "canary"): void {
  state[arm] = { ...state[arm], wrong: state[arm].wrong + 1 };
  const block = state.open[arm];
  if (block.failures < block.calls) {
    block.failures += 1;
    return;
  }
  // Its block is closed already.
  const more = ({ calls, failures }: Tally): Tally => ({ calls, failures: Math.min(calls, failures + 1) });
  state.evidence = { ...state.evidence, [arm]: more(state.evidence[arm]) };
}

/** The share of the traffic changes: what was counted before is a block of its own. */
export function enterStage(state: RolloutState, stage: { index: number; percent: number; now: number }): void {
  closeBlock(state);
  state.stage = { index: stage.index, percent: stage.percent, startedAt: stage.now, canaryCalls: 0 };
}

/** The evidence up to this moment, and the history that belongs to it. */
export function evidenceOf(state: RolloutState): { by: "failures" | "pairs"; evidence: Evidence; history: History } {
  const { history } = state;
  if (!isPaired(state)) {
    return { by: "failures", evidence: addBlock(state.evidence, openBlock(state, "failures"), state), history };
  }
  const paired = { calls: history.calls, failures: history.discordant };
  const { p95, p90 } = addBlock(state.evidence, openBlock(state, "failures"), state);
  const evidence = addFailures(state.paired, openBlock(state, "discordant"), paired);
  return { by: "pairs", evidence: { ...evidence, p95, p90 }, history: paired };
}

/** Pairs say more than failures, if no failure is without its pair: in one arm only they would favour that arm. */
function isPaired({ canary, stable }: RolloutState): boolean {
  const failures = [canary, stable].map(({ errors, timeouts, wrong }) => errors + timeouts + wrong);
  return failures[0] === canary.verified && failures[1] === stable.verified && stable.verified > 0;
}

function countRouted(state: RolloutState, arm: "stable" | "canary"): void {
  const share = state.stage.percent / 100;
  const { canary, expected, variance } = state.routed;
  state.routed = {
    canary: canary + (arm === "canary" ? 1 : 0),
    expected: expected + share,
    variance: variance + share * (1 - share),
  };
}

function closeBlock(state: RolloutState): void {
  const { history } = state;
  const paired = { calls: history.calls, failures: history.discordant };
  state.evidence = addBlock(state.evidence, { ...openBlock(state, "failures"), state: "closed" }, state);
  state.paired = addFailures(state.paired, { ...openBlock(state, "discordant"), state: "closed" }, paired);
  state.previousStable = state.open.stable;
  state.open = { canary: noCalls(), stable: noCalls() };
}

function openBlock({ open, previousStable }: RolloutState, key: "failures" | "discordant"): Block {
  return {
    canary: sampleOf(open.canary, key),
    stable: sampleOf(open.stable, key),
    previousStable: previousStable && sampleOf(previousStable, key),
    state: "open",
  };
}

function sampleOf(counts: BlockCounts, key: "failures" | "discordant"): ArmSample {
  return {
    calls: counts.calls,
    failures: counts[key],
    quantile: (share) => quantileOf(counts.bins, share),
    above: (latencyMs) => countAbove(counts.bins, latencyMs),
  };
}

function noCalls(): BlockCounts {
  return { calls: 0, failures: 0, discordant: 0, bins: createLatencyBins() };
}
