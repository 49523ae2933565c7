import type { Scenario } from "./scenarios.ts";
import { type SimulatedRollout, simulateRollout } from "./simulate-rollout.ts";

export interface ScenarioResult {
  readonly name: string;
  readonly runs: number;
  readonly promoted: number;
  readonly rolledBack: number;
  readonly inconclusive: number;
  readonly held: number;
  /** Runs that ended as they must not. */
  readonly wrong: number;
  readonly calls: number;
  readonly everybodyAt: number;
  readonly canaryCalls: number;
  readonly harmed: number;
}

/** Plays a scenario many times; the counts, and the medians of calls, canary calls, and the mean of harmed calls. */
export function runScenario(
  scenario: Scenario,
  { runs, seed, verify = false }: { runs: number; seed: number; verify?: boolean },
): ScenarioResult {
  const results: SimulatedRollout[] = [];
  for (let run = 0; run < runs; run++) {
    results.push(simulateRollout(scenario, { seed: Math.imul(seed, 1_000_003) + run * 104_729, verify }));
  }
  const ended = (end: SimulatedRollout["end"]) => results.filter((result) => result.end === end).length;
  const counts = {
    promoted: ended("promoted"),
    rolledBack: ended("rolled_back"),
    inconclusive: ended("inconclusive"),
    held: ended("held"),
  };
  const right = {
    promoted: counts.promoted,
    not_promoted: runs - counts.promoted,
    inconclusive: counts.inconclusive,
    gone: counts.rolledBack,
  }[scenario.end];
  return {
    name: scenario.name,
    runs,
    ...counts,
    wrong: runs - right,
    calls: median(results.map((result) => result.calls)),
    everybodyAt: median(results.map((result) => result.everybodyAt)),
    canaryCalls: median(results.map((result) => result.canaryCalls)),
    harmed: results.reduce((sum, result) => sum + result.harmed, 0) / runs,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] as number;
}
