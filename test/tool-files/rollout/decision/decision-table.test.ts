import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assess,
  observeCall,
  type RolloutQuestion,
  type RolloutState,
  rolloutPolicy,
} from "../../../../src/tool-files/rollout/rollout.ts";
import { type PlayedArm, playedState } from "./played-state.ts";

const day = 24 * 60 * 60_000;
const live = rolloutPolicy("live", "low");
const scheduled = rolloutPolicy("scheduled", "low");
const stable = { calls: 1080, errors: 12 };
const good = () => playedState({ canary: { calls: 120 }, stable });
const terrible = () => playedState({ canary: { calls: 120, errors: 24 }, stable });
const runs = (played: PlayedArm) => playedState({ canary: played, stable: { calls: 6 }, percent: 40 });

function inStage(state: RolloutState, index: number, percent: number): RolloutState {
  return { ...state, stage: { index, percent, startedAt: 0, canaryCalls: state.canary.calls } };
}

function withFatal(state: RolloutState): RolloutState {
  observeCall(state, { arm: "canary", outcome: "fatal", latencyMs: 5, position: "later" });
  return state;
}

const table: readonly (readonly [situation: string, question: Partial<RolloutQuestion>, answer: string])[] = [
  ["no call of the canary", { state: playedState({ canary: { calls: 0 }, stable, percent: 10 }) }, "hold no_data"],
  [
    "no call at all",
    { state: playedState({ canary: { calls: 0 }, stable: { calls: 0 }, percent: 10 }) },
    "hold no_data",
  ],
  [
    "no stable call",
    { state: playedState({ canary: { calls: 60 }, stable: { calls: 0 }, percent: 99 }) },
    "hold few_stable",
  ],
  [
    "no stable call, one failure",
    { state: playedState({ canary: { calls: 60, errors: 1 }, stable: { calls: 0 }, percent: 99 }) },
    "hold few_stable",
  ],
  [
    "too few calls",
    { state: playedState({ canary: { calls: 13 }, stable: { calls: 117 } }), look: "now" },
    "hold few_calls",
  ],
  [
    "99 calls in a stage",
    { state: playedState({ canary: { calls: 99 }, stable: { calls: 891, errors: 9 } }), look: "now" },
    "hold few_calls",
  ],
  [
    "100 calls in a stage",
    { state: playedState({ canary: { calls: 100 }, stable: { calls: 900, errors: 9 } }), look: "now" },
    "advance safe",
  ],
  [
    "100 calls, 99 of them in this stage",
    { state: { ...good(), stage: { index: 1, percent: 30, startedAt: 0, canaryCalls: 99 } }, look: "now" },
    "hold few_calls",
  ],
  [
    "20 calls in a stage that needs 20",
    {
      state: playedState({ canary: { calls: 40 }, stable: { calls: 360, errors: 4 } }),
      policy: { ...live, limits: { ...live.limits, stageCalls: 20 } },
    },
    "advance safe",
  ],
  [
    "between two looks",
    { state: playedState({ canary: { calls: 107 }, stable: { calls: 963, errors: 11 } }) },
    "hold no_look",
  ],
  [
    "between two looks, asked by a person",
    { state: playedState({ canary: { calls: 107 }, stable: { calls: 963, errors: 11 } }), look: "now" },
    "advance safe",
  ],
  ["good", { state: good() }, "advance safe"],
  ["good, 9 calls still running", { state: good(), running: 9 }, "hold running"],
  ["good, 1 call still running", { state: good(), running: 1 }, "advance safe"],
  ["good, approval missing", { state: good(), gate: "waiting" }, "hold approval"],
  ["good, approved", { state: good(), gate: "approved" }, "advance safe"],
  ["good, held by a person", { state: good(), held: "a demo" }, "hold held"],
  ["good, 15 days old", { state: good(), now: 15 * day }, "advance safe"],
  [
    "unclear, 15 days old",
    { state: playedState({ canary: { calls: 120, errors: 5 }, stable }), now: 15 * day },
    "inconclusive age",
  ],
  [
    "unclear, the clock was set back",
    { state: playedState({ canary: { calls: 120, errors: 5 }, stable }), now: -day },
    "hold error_limit",
  ],
  ["bad", { state: terrible() }, "rollback worse"],
  ["bad, approval missing", { state: terrible(), gate: "waiting" }, "rollback worse"],
  ["bad, held by a person", { state: terrible(), held: "a demo" }, "rollback worse"],
  ["bad, 15 days old", { state: terrible(), now: 15 * day }, "rollback worse"],
  ["bad, at 100 %", { state: inStage(terrible(), 3, 100) }, "rollback worse"],
  ["bad, held back", { state: inStage(terrible(), 3, 80) }, "rollback worse"],
  ["fatal error", { state: withFatal(good()) }, "rollback fatal"],
  [
    "fatal error in the first call",
    { state: withFatal(playedState({ canary: { calls: 0 }, stable, percent: 10 })) },
    "rollback fatal",
  ],
  ["fatal error, approval missing", { state: withFatal(good()), gate: "waiting" }, "rollback fatal"],
  [
    "slow",
    { state: playedState({ canary: { calls: 200, slowness: 2 }, stable: { calls: 1800, errors: 18 } }) },
    "rollback slower",
  ],
  [
    "twice the share of the traffic",
    { state: playedState({ canary: { calls: 100 }, stable: { calls: 100 }, percent: 10 }) },
    "inconclusive share",
  ],
  [
    "before everybody, unclear",
    { state: inStage(playedState({ canary: { calls: 300, errors: 3 }, stable: { calls: 700, errors: 7 } }), 2, 60) },
    "hold evidence",
  ],
  [
    "before everybody, good",
    { state: inStage(playedState({ canary: { calls: 1200, errors: 12 }, stable: { calls: 800, errors: 8 } }), 2, 60) },
    "advance safe",
  ],
  [
    "before everybody, too many timeouts",
    {
      state: inStage(
        playedState({ canary: { calls: 400, errors: 4, timeouts: 6 }, stable: { calls: 800, errors: 8 } }),
        2,
        60,
      ),
    },
    "hold timeout_limit",
  ],
  [
    "before everybody, too many errors",
    { state: inStage(playedState({ canary: { calls: 200, errors: 7 }, stable: { calls: 800, errors: 8 } }), 2, 60) },
    "hold error_limit",
  ],
  [
    "all calls used up, unclear",
    {
      state: inStage(playedState({ canary: { calls: 4000, errors: 90 }, stable: { calls: 3000, errors: 30 } }), 2, 60),
    },
    "rollback not_proven",
  ],
  [
    "held back, too short",
    { state: inStage(playedState({ canary: { calls: 1480, errors: 14 }, stable }), 3, 80) },
    "hold holdback",
  ],
  [
    "held back, long enough",
    { state: inStage(playedState({ canary: { calls: 1501, errors: 15 }, stable }), 3, 80) },
    "promote holdback_done",
  ],
  [
    "held back for a week",
    { state: inStage(playedState({ canary: { calls: 380, errors: 4 }, stable }), 3, 80), now: 7 * day },
    "promote holdback_done",
  ],
  [
    "held back, 15 days old",
    {
      state: {
        ...playedState({ canary: { calls: 380, errors: 4 }, stable }),
        stage: { index: 3, percent: 80, startedAt: 14 * day, canaryCalls: 100 },
      },
      now: 15 * day,
    },
    "hold holdback",
  ],
  [
    "everybody has it",
    { state: inStage(playedState({ canary: { calls: 501, errors: 5 }, stable }), 3, 100) },
    "hold done",
  ],
  ["scheduled, too few runs", { policy: scheduled, state: runs({ calls: 2 }) }, "hold unproven"],
  ["scheduled, enough runs", { policy: scheduled, state: runs({ calls: 4 }) }, "hold approval"],
  [
    "scheduled, too soon",
    { policy: scheduled, state: runs({ calls: 4 }), gate: "approved", now: day / 2 },
    "hold unproven",
  ],
  ["scheduled, approved", { policy: scheduled, state: runs({ calls: 4 }), gate: "approved" }, "advance unproven"],
  [
    "scheduled, approved, one run failed",
    { policy: scheduled, state: runs({ calls: 4, errors: 1 }), gate: "approved" },
    "hold unproven",
  ],
  [
    "scheduled, all runs failed",
    { policy: scheduled, state: runs({ calls: 4, errors: 4 }), gate: "approved" },
    "rollback worse",
  ],
];

for (const [situation, question, answer] of table) {
  test(`${situation}: ${answer} [V4]`, () => {
    const assessed = assess({ state: good(), policy: live, now: day, ...question });
    assert.equal(`${assessed.verdict} ${assessed.cause}`, answer, assessed.reason);
    assert.equal(assessed.effect, "act");
  });

  test(`${situation}: a dry run says the same and has no effect [V4]`, () => {
    const asked = { state: good(), policy: live, now: day, ...question };
    const assessed = assess({ ...asked, dryRun: true });
    assert.equal(`${assessed.verdict} ${assessed.cause}`, answer);
    assert.equal(assessed.effect, "none");
    assert.equal(assessed.reason, `dry run, would be ${assess(asked).reason}`);
  });
}

test("a decision explains itself in one sentence with its figures [V11]", () => {
  const reason = (question: Partial<RolloutQuestion>) =>
    assess({ state: good(), policy: live, now: day, ...question }).reason;
  const few = { state: playedState({ canary: { calls: 37 }, stable: { calls: 333, errors: 4 } }), now: 20 * 60_000 };
  assert.equal(reason(few), "held: 37 of 100 canary calls; about 34 minutes more");
  assert.equal(
    reason({}),
    "advanced to 30 %: 120 canary calls, 0 failed (stable 1.1 % at the same time); as good as stable is 11 times likelier than unsafe",
  );
  assert.equal(
    reason({ state: terrible() }),
    "rolled back: 120 canary calls, 24 failed (stable 1.1 % at the same time); worse with more than 99.9 % probability",
  );
  assert.equal(
    reason({ policy: scheduled, state: runs({ calls: 4 }) }),
    "held: unproven (4 runs); waiting for approval of the next stage; 4 canary runs, 0 failed (stable 1.2 % at the same time)",
  );
  assert.match(
    reason({ state: playedState({ canary: { calls: 10 }, stable: { calls: 90 } }), now: 5 * day }),
    /^held: 10 of 100 canary calls; about 45 days more; only 20 calls a day: replay recorded calls, route half of them to the canary, or promote by hand \(risk \d+ %\)$/,
  );
});

test("what is missing grows with the odds that are asked for, and is told in calls and time [V11]", () => {
  const state = inStage(playedState({ canary: { calls: 300, errors: 3 }, stable: { calls: 700, errors: 7 } }), 2, 60);
  const { missing } = assess({ state, policy: live, now: day });
  const strict = { ...live, odds: { ...live.odds, promote: 10_000 } };
  const stricter = assess({ state, policy: strict, now: day }).missing;
  assert.ok(missing?.milliseconds && stricter);
  assert.ok(missing.canaryCalls >= 200 && missing.canaryCalls <= 900, `${missing.canaryCalls}`);
  assert.ok(stricter.canaryCalls > missing.canaryCalls);
  assert.equal(missing.milliseconds, Math.ceil((missing.canaryCalls * day) / 300));
});

test("failures that stable shares do not count against the canary, if all were run again on stable [V9]", () => {
  const played = { canary: { calls: 120, errors: 9 }, stable: { calls: 540, errors: 5 } };
  const judged = (verified?: "pairs" | "shared") => {
    const state = playedState({ ...played, ...(verified && { verified }) });
    const { verdict, evidence } = assess({ state, policy: live, now: day });
    return { verdict, by: evidence.judgedBy, failures: evidence.judgedFailures };
  };
  assert.deepEqual(judged(), { verdict: "rollback", by: "failures", failures: 9 });
  assert.deepEqual(judged("pairs"), { verdict: "rollback", by: "pairs", failures: 9 });
  assert.deepEqual(judged("shared"), { verdict: "advance", by: "pairs", failures: 0 });
});

test("one kind of input that fails rolls back what is no more than unclear in the sum [V4]", () => {
  const state = playedState({ canary: { calls: 200, errors: 9 }, stable: { calls: 1800, errors: 36 } });
  const kinds = {
    text: playedState({ canary: { calls: 191, errors: 4 }, stable: { calls: 1720, errors: 35 } }),
    pdf: playedState({ canary: { calls: 9, errors: 5 }, stable: { calls: 80, errors: 1 } }),
  };
  assert.equal(assess({ state, policy: live, now: day }).verdict, "hold");
  const { verdict, reason } = assess({ state, policy: live, now: day, kinds });
  assert.equal(verdict, "rollback");
  assert.match(reason, /^rolled back: inputs of kind "pdf": 5 of 9 canary calls failed \(stable 1\.\d %/);
});

test("the policies carry the numbers of the source [V4]", () => {
  assert.deepEqual(live.stages, [10, 30, 60, 100]);
  assert.deepEqual(rolloutPolicy("live", "high").stages, [1, 5, 20, 50, 100]);
  assert.deepEqual(live.limits, {
    errorRate: 0.02,
    timeoutRate: 0.01,
    latency: { share: 0.2, milliseconds: 5 },
    rollbackRate: 0.05,
    calls: 100,
    stageCalls: 100,
  });
  assert.deepEqual([scheduled.scheduled.runs, rolloutPolicy("scheduled", "high").scheduled.runs], [3, 5]);
});
