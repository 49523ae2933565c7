import type { Route } from "../../../core/call.ts";
import type { RolloutTransaction } from "../../../core/stores.ts";
import { placeKind } from "../metrics/input-kind.ts";
import type { LatencyAllowance } from "../decision/policy.ts";
import { createRolloutState, observeCall, type ObservedCall, type RolloutState } from "../decision/rollout-state.ts";
import {
  type Counters,
  listKinds,
  readCorrections,
  readHarm,
  readKindState,
  readState,
  writeCorrections,
  writeHarm,
  writeKindState,
  writeState,
} from "./release-documents.ts";
import type { CorrectionSource, Lane, LaneName, ToolRelease } from "./tool-release.ts";

/** A settled call of a tool that is tried in two versions. */
export interface Observation {
  readonly tool: string;
  /** As it was when the call was routed. */
  readonly rolloutId: string;
  readonly route: Route;
  readonly lane: LaneName;
  readonly executionId: string;
  /** Null for a call that belongs to no conversation or job. */
  readonly conversationId: string | null;
  readonly kind: string;
  readonly outcome: ObservedCall["outcome"];
  readonly latencyMs: number;
  readonly onStable: "ok" | "failed" | null;
  readonly error: string;
  readonly at: number;
  /** Canary calls of this tool that are under way here. */
  readonly running: number;
  /** What the stable version did lately; asked at the first call. */
  readonly history: () => { readonly calls: number; readonly failures: number };
}

/** Enters a call into the counters of its lane and of its kind of input. */
export function countObservation(
  transaction: RolloutTransaction,
  { release, latency }: { readonly release: ToolRelease; readonly latency: LatencyAllowance },
  observation: Observation,
): { readonly state: RolloutState; readonly call: ObservedCall } {
  const { rolloutId, lane: laneName } = observation;
  const counters: Counters = { rolloutId, lane: laneName };
  const lane = release.rollout!.lanes[laneName];
  const state = readState(transaction, counters) ?? beginState(lane, observation, latency);
  const call = observedCall(transaction, observation, state);
  observeCall(state, call);
  writeState(transaction, counters, state);
  countKind(transaction, counters, { call, observation, begin: () => beginState(lane, observation, latency) });
  countHarm(transaction, observation);
  return { state, call };
}

function observedCall(
  transaction: RolloutTransaction,
  { rolloutId, lane, conversationId, route, latencyMs, onStable, outcome }: Observation,
  state: RolloutState,
): ObservedCall {
  // What breaks stable as well is no reason to give up the canary at once.
  const known = outcome === "fatal" && route === "canary" && state.stable.fatal > 0 ? "error" : outcome;
  let position: ObservedCall["position"] = "first";
  if (conversationId !== null) {
    const key = `${lane}:${conversationId}`;
    const mark = transaction.findMark(rolloutId, key);
    position = mark === undefined ? "first" : mark === "failed" ? "after_failure" : "later";
    if (outcome !== "ok") transaction.mark(rolloutId, key, "failed");
    else if (mark === undefined) transaction.mark(rolloutId, key, "seen");
  }
  return { arm: route, outcome: known, latencyMs, position, ...(onStable && { onStable }) };
}

function beginState({ percent, index }: Lane, { at, history }: Observation, latency: LatencyAllowance): RolloutState {
  const state = createRolloutState({ now: at, percent, history: { ...history(), discordant: 0 }, latency });
  state.stage = { ...state.stage, index };
  return state;
}

function countKind(
  transaction: RolloutTransaction,
  counters: Counters,
  { call, observation, begin }: { call: ObservedCall; observation: Observation; begin: () => RolloutState },
): void {
  const kind = placeKind(listKinds(transaction, counters), observation.kind);
  const state = readKindState(transaction, counters, kind) ?? begin();
  observeCall(state, call);
  writeKindState(transaction, counters, { kind, state });
}

/** A call that was counted as a timeout, and what stable said when it was run on it again. */
export interface VerifiedCall extends Pick<Observation, "tool" | "rolloutId" | "route" | "lane" | "kind" | "at"> {
  readonly onStable: "ok" | "failed";
}

/** Enters what stable said into the counters; undefined when they are gone. */
export function countVerified(
  transaction: RolloutTransaction,
  { rolloutId, lane, kind: given, route, onStable }: VerifiedCall,
): RolloutState | undefined {
  const counters: Counters = { rolloutId, lane };
  const state = readState(transaction, counters);
  if (!state) return undefined;
  markVerified(state, route, onStable);
  writeState(transaction, counters, state);
  const kind = placeKind(listKinds(transaction, counters), given);
  const ofKind = readKindState(transaction, counters, kind);
  if (ofKind) {
    markVerified(ofKind, route, onStable);
    writeKindState(transaction, counters, { kind, state: ofKind });
  }
  return state;
}

function markVerified(state: RolloutState, arm: Route, onStable: VerifiedCall["onStable"]): void {
  const totals = state[arm];
  const discordant = onStable === "ok" ? 1 : 0;
  state[arm] = { ...totals, verified: totals.verified + 1, discordant: totals.discordant + discordant };
  const block = state.open[arm];
  if (block.discordant < block.failures) {
    block.discordant += discordant;
    return;
  }
  // Its block was closed meanwhile.
  const { calls, failures } = state.paired[arm];
  state.paired = { ...state.paired, [arm]: { calls, failures: Math.min(calls, failures + discordant) } };
}

const mostHarmed = 20;

type HarmfulCall = Pick<
  Observation,
  "rolloutId" | "executionId" | "conversationId" | "error" | "route" | "outcome" | "onStable"
>;

/** Whom a failed call of the canary has failed. */
export function countHarm(transaction: RolloutTransaction, observation: HarmfulCall): void {
  const { rolloutId, executionId, conversationId, error, route, outcome } = observation;
  if (route === "stable" || outcome === "ok") return;
  const harm = readHarm(transaction, rolloutId);
  if (observation.onStable === "ok") return writeHarm(transaction, rolloutId, { ...harm, saved: harm.saved + 1 });
  const calls = harm.calls.length < mostHarmed ? [...harm.calls, { executionId, conversationId, error }] : harm.calls;
  writeHarm(transaction, rolloutId, { ...harm, harmed: harm.harmed + 1, calls });
}

/** By which way a person corrected which version: people see it; the decision counts all alike. */
export function countCorrection(
  transaction: RolloutTransaction,
  rolloutId: string,
  { source, route }: { readonly source: CorrectionSource; readonly route: Route },
): void {
  const corrections = readCorrections(transaction, rolloutId);
  const ofArm = { ...corrections[route], [source]: corrections[route][source] + 1 };
  writeCorrections(transaction, rolloutId, { ...corrections, [route]: ofArm });
}
