import { createRolloutState, observeCall, type RolloutState } from "../../../../src/tool-files/rollout/rollout.ts";

export interface PlayedArm {
  readonly calls: number;
  readonly errors?: number;
  readonly timeouts?: number;
  readonly slowness?: number;
}

/**
 * A state after so many calls of each arm, one per conversation, evenly mixed; failures come evenly, too, the first one
 * in the middle of its stretch. Latencies go through the same twenty values over and over.
 */
export function playedState(played: {
  canary: PlayedArm;
  stable: PlayedArm;
  percent?: number;
  verified?: "pairs" | "shared";
}): RolloutState {
  const { canary, stable, verified } = played;
  const percent = played.percent ?? (100 * canary.calls) / Math.max(canary.calls + stable.calls, 1);
  const state = createRolloutState({ now: 0, percent, history: { calls: 1000, failures: 12, discordant: 4 } });
  const all = canary.calls + stable.calls;
  const done = { canary: 0, stable: 0 };
  for (let call = 0; call < all; call++) {
    const arm = done.canary * all <= call * canary.calls && done.canary < canary.calls ? "canary" : "stable";
    const index = done[arm]++;
    const { calls, errors = 0, timeouts = 0, slowness = 1 } = played[arm];
    const isError = falls(index, calls, errors);
    const outcome = isError ? "error" : falls(index + 1, calls, timeouts) ? "timeout" : "ok";
    const latencyMs = slowness * 300 * Math.exp(0.6 * (((index * 7) % 20) / 5 - 2));
    const onStable = arm === "canary" && verified === "pairs" ? ("ok" as const) : ("failed" as const);
    observeCall(state, {
      arm,
      outcome,
      latencyMs,
      position: "first",
      ...(outcome !== "ok" && verified && { onStable }),
    });
  }
  return state;
}

function falls(index: number, calls: number, events: number): boolean {
  if (events === 0) return false;
  return Math.floor(((index + 0.5) * events) / calls + 0.5) > Math.floor(((index - 0.5) * events) / calls + 0.5);
}
