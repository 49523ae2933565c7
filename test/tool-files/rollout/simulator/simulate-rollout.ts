import {
  type Assessment,
  assess,
  createRolloutState,
  enterStage,
  isAssessmentDue,
  type ObservedCall,
  observeCall,
  type RolloutPolicy,
  type RolloutState,
  rolloutPolicy,
} from "../../../../src/tool-files/rollout/rollout.ts";
import { createRandom, type Random } from "./random.ts";
import type { Behaviour, Moment, Scenario } from "./scenarios.ts";

export interface SimulatedRollout {
  readonly end: "promoted" | "rolled_back" | "inconclusive" | "held" | "live";
  readonly calls: number;
  /** When all but the holdback got it, in calls. */
  readonly everybodyAt: number;
  readonly canaryCalls: number;
  /** Calls that failed only because the canary ran them; with `verify` the caller got stable's answer. */
  readonly harmed: number;
  readonly last: Assessment | undefined;
}

export interface SimulatorOptions {
  readonly seed: number;
  readonly verify?: boolean;
  readonly policy?: RolloutPolicy;
}

const medianMs = 300;
const stableTimeouts = 0.002;
/** The share of failures that are gone when the same call is run again. */
const transient = 0.3;
const historyCalls = 1000;
const day = 24 * 60 * 60_000;
/** Conversations have four calls on average. */
const oneMore = 0.75;

/** A defect that comes late must be gone so many calls after it began. */
const goneWithin = 1000;

function policyOf({ risk = "low", until = "everybody" }: Scenario): RolloutPolicy {
  const policy = rolloutPolicy("live", risk);
  return until === "watched" ? policy : { ...policy, holdback: { ...policy.holdback, percent: 0, calls: 0 } };
}

/** Plays one rollout, call by call, as the runtime would do it. */
export function simulateRollout(scenario: Scenario, options: SimulatorOptions): SimulatedRollout {
  const { policy = policyOf(scenario) } = options;
  const { horizon = 20_000 } = scenario;
  const world = createWorld(scenario, options);
  const state = createRolloutState({ now: 0, percent: policy.stages[0] as number, history: world.history() });
  const kinds: Record<string, RolloutState> = {};
  let last: Assessment | undefined;
  let calls = 0;
  let everybodyAt: number | undefined;
  let brokenAt: number | undefined;
  for (; calls < horizon; calls++) {
    const now = (calls * day) / (scenario.callsPerDay ?? 20_000);
    const call = world.nextCall(state, calls);
    if (world.isBroken()) brokenAt ??= calls;
    if (brokenAt !== undefined && scenario.end === "gone" && calls >= brokenAt + goneWithin) return result("live");
    observeCall(state, call);
    const kind = scenario.nameKind?.(world.kind());
    if (kind !== undefined) {
      kinds[kind] ??= createRolloutState({ now: 0, percent: state.stage.percent, history: state.history });
      observeCall(kinds[kind], call);
    }
    if (!isAssessmentDue(state, call)) continue;
    last = assess({ state, policy, now, kinds });
    if (last.verdict === "promote") return result("promoted");
    if (last.verdict === "rollback") return result("rolled_back");
    if (last.verdict === "inconclusive") return result("inconclusive");
    if (last.verdict === "advance" && last.next) {
      if (last.next.index === policy.stages.length - 1) everybodyAt = calls;
      for (const each of [state, ...Object.values(kinds)]) enterStage(each, { ...last.next, now });
    }
  }
  return result("held");

  function result(end: SimulatedRollout["end"]): SimulatedRollout {
    return {
      end,
      calls,
      everybodyAt: everybodyAt ?? calls,
      canaryCalls: state.canary.calls,
      harmed: options.verify ? 0 : world.harmed(),
      last,
    };
  }
}

/** The people who call, the router that gives their conversations to a version, and how the versions behave. */
function createWorld(scenario: Scenario, { seed, verify = false }: SimulatorOptions) {
  const random = createRandom(seed);
  const fate = random.uniform();
  let conversation = startConversation({ random, share: 0 });
  let harmed = 0;
  let isBroken = false;
  return {
    isBroken: () => isBroken,
    harmed: () => harmed,
    kind: () => conversation.kind,
    history() {
      const calls = scenario.history ?? historyCalls;
      let failures = 0;
      let discordant = 0;
      for (let call = 0; call < calls; call++) {
        const moment = { call: 0, canaryCalls: 0, fate: 1, kind: random.uniform() };
        if (drawCall(random).outcome(scenario.stable(moment)) === "ok") continue;
        failures += 1;
        if (random.uniform() < transient) discordant += 1;
      }
      return { calls, failures, discordant };
    },
    nextCall(state: RolloutState, call: number): ObservedCall {
      if (conversation.over || random.uniform() > oneMore) {
        const wanted = state.stage.percent / 100;
        conversation = startConversation({ random, share: scenario.bias?.(wanted) ?? wanted });
      }
      const position = conversation.position;
      conversation.position = "later";
      const moment: Moment = { call, canaryCalls: state.canary.calls, fate, kind: conversation.kind };
      isBroken ||= scenario.isBroken?.(moment) ?? false;
      const drawn = drawCall(random);
      const { arm } = conversation;
      const behaviour = scenario[arm](moment);
      const outcome = drawn.outcome(behaviour);
      const latencyMs = medianMs * Math.exp((scenario.latencySpread ?? 0.6) * drawn.normal) * (behaviour.slowness ?? 1);
      if (outcome === "ok") return { arm, outcome, latencyMs, position };
      // What follows in this conversation would run on stable and count for neither: it need not be played.
      conversation.over = true;
      const onlyHere = arm === "canary" && drawn.outcome(scenario.stable(moment)) === "ok";
      if (onlyHere) harmed += 1;
      const onStable = onlyHere || random.uniform() < transient ? "ok" : "failed";
      return { arm, outcome, latencyMs, position, ...(verify && { onStable }) };
    },
  };
}

function startConversation({ random, share }: { random: Random; share: number }) {
  const arm: "canary" | "stable" = random.uniform() < share ? "canary" : "stable";
  const position: "first" | "later" = "first";
  return { arm, kind: random.uniform(), position: position as "first" | "later", over: share === 0 };
}

/** One call's luck, the same whichever version runs it: so the harm that a canary did is known exactly. */
function drawCall(random: Random) {
  const luck = random.uniform();
  const timeoutLuck = random.uniform();
  return {
    normal: random.normal(),
    outcome({ errors, timeouts = stableTimeouts }: Behaviour): "ok" | "error" | "timeout" {
      if (timeoutLuck < timeouts) return "timeout";
      return luck < errors ? "error" : "ok";
    },
  };
}
