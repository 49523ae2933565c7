import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Beta, probabilityAbove, spreadBeta } from "../../../../src/tool-files/rollout/decision/beta.ts";
import {
  logLikelihood,
  probabilityWorse,
  sampleRatio,
} from "../../../../src/tool-files/rollout/decision/compare-rates.ts";
import { count } from "../../../support/counts.ts";
import { createRandom } from "../simulator/random.ts";

const none = { points: 0, share: 0 };

test("the chance to be worse than an equal is one half, for 1 and for 10^6 calls [V4]", () => {
  for (const calls of [1, 10, 1000, 1_000_000]) {
    for (const failures of [0, 0.01 * calls, 0.5 * calls, calls]) {
      const rate = { failures: failures + 0.5, successes: calls - failures + 0.5 };
      near(probabilityWorse({ canary: rate, stable: rate, excess: none }), 0.5, 1e-4);
    }
  }
});

test("the chance that a rate is above a limit is the binomial sum, for whole counts [V4]", () => {
  for (const [failures, successes] of [
    [1, 1],
    [1, 20],
    [3, 12],
    [12, 3],
    [7, 90],
  ] as const) {
    for (const limit of [0.001, 0.05, 0.3, 0.77, 0.999]) {
      near(probabilityAbove({ failures, successes }, limit), binomialSum({ failures, successes }, limit), 1e-9);
    }
  }
});

test("the chance to be worse is the exact fraction, for whole counts [V4]", () => {
  for (const canary of wholeCounts()) {
    for (const stable of wholeCounts()) {
      near(probabilityWorse({ canary, stable, excess: none }), exactlyWorse(canary, stable), 1e-6);
    }
  }
});

test("the chance to be worse by a margin is what a fine integral gives [V4]", () => {
  const canary = { failures: 4, successes: 46 };
  const stable = { failures: 3, successes: 197 };
  const excess = { points: 0.02, share: 0.5 };
  near(probabilityWorse({ canary, stable, excess }), integrated(canary, stable), 1e-6);

  function integrated(one: Beta, other: Beta): number {
    const steps = 20_000;
    let sum = 0;
    let all = 0;
    for (let step = 0; step < steps; step++) {
      const rate = (step + 0.5) / steps;
      const density = rate ** (other.failures - 1) * (1 - rate) ** (other.successes - 1);
      all += density;
      sum += density * binomialSum(one, Math.min(rate + 0.02 + 0.5 * rate, 1));
    }
    return sum / all;
  }
});

test("one more failure is never better, one more success never worse [V4]", () => {
  const counts = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }));
  fc.assert(
    fc.property(counts, counts, fc.double({ min: 0, max: 0.1, noNaN: true }), (canary, stable, points) => {
      const worse = (canaryMore: readonly number[], stableMore: readonly number[]) =>
        probabilityWorse({
          canary: beta(canary, canaryMore),
          stable: beta(stable, stableMore),
          excess: { points, share: 0.1 },
        });
      const now = worse([0, 0], [0, 0]);
      const slack = 1e-6;
      assert.ok(worse([1, 0], [0, 0]) >= now - slack);
      assert.ok(worse([0, 1], [0, 0]) <= now + slack);
      assert.ok(worse([0, 0], [1, 0]) <= now + slack);
      assert.ok(worse([0, 0], [0, 1]) >= now - slack);
    }),
    { numRuns: count({ quick: 100, full: 2000 }), seed: 1 },
  );

  function beta([failures = 0, successes = 0]: readonly number[], [more = 0, others = 0]: readonly number[]): Beta {
    return { failures: failures + more + 0.5, successes: successes + others + 0.5 };
  }
});

test("no count, large or small, makes a probability that is none [V4]", () => {
  for (const failures of [0, 1, 500_000, 1_000_000]) {
    for (const stableFailures of [0, 1, 500_000, 1_000_000]) {
      const canary = { failures: failures + 0.5, successes: 1_000_000 - failures + 0.5 };
      const stable = { failures: stableFailures + 0.1, successes: 1_000_000 - stableFailures + 0.9 };
      const worse = probabilityWorse({ canary, stable, excess: none });
      assert.ok(worse >= 0 && worse <= 1 + 1e-9, `${failures} against ${stableFailures}: ${worse}`);
      if (Math.abs(failures - stableFailures) > 1) near(worse, failures > stableFailures ? 1 : 0, 1e-6);
      const likelihood = logLikelihood({ failures, calls: 1_000_000 }, spreadBeta(stable), none);
      assert.ok(Number.isFinite(likelihood));
    }
  }
});

test("averaged over what stable's rate may be, the likelihood is the ratio of beta functions [V4]", () => {
  const stable = { failures: 3, successes: 97 };
  const twoOfTen = logLikelihood({ failures: 2, calls: 10 }, spreadBeta(stable), none);
  // E[p²(1-p)⁸] for Beta(3, 97) is a product of ten factors.
  const rising = (from: number, times: number) =>
    Array.from({ length: times }, (_, step) => from + step).reduce((product, factor) => product * factor, 1);
  near(twoOfTen, Math.log((rising(3, 2) * rising(97, 8)) / rising(100, 10)), 1e-6);
});

test("a router that does as told is hardly ever suspected, however often one looks [V4]", () => {
  const runs = count({ quick: 300, full: 3000 });
  const random = createRandom(11);
  let suspected = 0;
  for (let run = 0; run < runs; run++) if (isSuspected(0.1)) suspected += 1;
  assert.ok(suspected / runs <= 0.005, `${suspected} of ${runs}`);
  for (let run = 0; run < 50; run++) assert.ok(isSuspected(0.2), "twice the share was not noticed");

  function isSuspected(share: number): boolean {
    const routed = { canary: 0, expected: 0, variance: 0 };
    for (let conversation = 0; conversation < 1000; conversation++) {
      routed.canary += random.uniform() < share ? 1 : 0;
      routed.expected += 0.1;
      routed.variance += 0.09;
      if (sampleRatio(routed) < 0.001) return true;
    }
    return false;
  }
});

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`);
}

function wholeCounts(): Beta[] {
  return [
    { failures: 1, successes: 1 },
    { failures: 1, successes: 30 },
    { failures: 4, successes: 11 },
    { failures: 9, successes: 2 },
  ];
}

/** P(Beta(a, b) > x) = P(fewer than a of a + b - 1 draws are below x). */
function binomialSum({ failures, successes }: Beta, limit: number): number {
  const draws = failures + successes - 1;
  let coefficient = 1;
  let sum = 0;
  for (let drawn = 0; drawn < failures; drawn++) {
    sum += coefficient * limit ** drawn * (1 - limit) ** (draws - drawn);
    coefficient = (coefficient * (draws - drawn)) / (drawn + 1);
  }
  return sum;
}

/** Draw all rates in order: the canary's a-th smallest of its a + b - 1 lies above stable's. Whole numbers only. */
function exactlyWorse(canary: Beta, stable: Beta): number {
  const canaryDraws = canary.failures + canary.successes - 1;
  const stableDraws = stable.failures + stable.successes - 1;
  let ways = 0n;
  // Before the canary's own one there are a - 1 of the canary's, and at least stable's a of stable's.
  for (let before = stable.failures; before <= stableDraws; before++) {
    const left = choose(canary.failures - 1 + before, before);
    ways += left * choose(canary.successes - 1 + stableDraws - before, stableDraws - before);
  }
  return Number((ways * 10n ** 15n) / choose(canaryDraws + stableDraws, stableDraws)) / 1e15;
}

function choose(all: number, some: number): bigint {
  let result = 1n;
  for (let step = 1; step <= some; step++) result = (result * BigInt(all - some + step)) / BigInt(step);
  return result;
}
