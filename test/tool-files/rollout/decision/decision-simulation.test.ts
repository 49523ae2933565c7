import assert from "node:assert/strict";
import { test } from "node:test";
import { count } from "../../../support/counts.ts";
import { runScenario, type ScenarioResult } from "../simulator/run-scenario.ts";
import { hardScenarios, lateScenarios, type Scenario, usualScenarios } from "../simulator/scenarios.ts";

/** Never tuned on. */
const seeds = [611, 733, 877];
const full = count({ quick: 0, full: 1 }) === 1;
const quickScenarios = ["good 1 %", "good, outage", "bad 5 %", "bad 30 %", "bad p95 + 100 %"];

for (const scenario of usualScenarios) {
  if (!full && !quickScenarios.includes(scenario.name)) continue;
  test(`${scenario.name}: ends as it has to [V4]`, (context) => {
    const result = play(scenario);
    context.diagnostic(JSON.stringify(result));
    assertRight(result, scenario.mostWrong);
    // The median of a few runs lies higher or lower by chance.
    const most = count({ quick: 2900, full: 2300 });
    if (scenario.name === "good 1 %") assert.ok(result.calls <= most, `${result.calls} calls to 100 %`);
    if (scenario.name === "bad 30 %") assert.ok(result.canaryCalls <= 20, `${result.canaryCalls} canary calls to stop`);
    if (scenario.name === "bad 3 %") assert.ok(result.harmed <= 25, `${result.harmed} calls harmed`);
  });
}

for (const scenario of hardScenarios) {
  if (!full && scenario.end !== "inconclusive" && scenario.history !== 0) continue;
  test(`${scenario.name}: ends as it has to [V4]`, (context) => {
    const result = play(scenario);
    context.diagnostic(JSON.stringify(result));
    assertRight(result, scenario.mostWrong);
  });
}

for (const scenario of lateScenarios) {
  if (!full && !["late, 30 % after 600", "late, 10 % after 300"].includes(scenario.name)) continue;
  test(`${scenario.name}: ends as it has to [V4]`, (context) => {
    const result = play(scenario);
    context.diagnostic(JSON.stringify(result));
    assertRight(result, scenario.mostWrong);
  });
}

for (const name of ["good 1 %", "bad 3 %"]) {
  if (!full) continue;
  test(`${name}, run again on stable: ends as it has to [V9]`, (context) => {
    const result = play(usualScenarios.find((each) => each.name === name) as Scenario, true);
    context.diagnostic(JSON.stringify(result));
    assertRight(result);
  });
}

test("run again on stable, a bad version harms nobody and is found sooner [V9]", (context) => {
  const scenario = usualScenarios.find(({ name }) => name === "bad 5 %") as Scenario;
  const alone = play(scenario);
  const verified = play(scenario, true);
  context.diagnostic(JSON.stringify({ alone, verified }));
  assertRight(verified);
  assert.equal(verified.harmed, 0);
  assert.ok(verified.canaryCalls < alone.canaryCalls, `${verified.canaryCalls} and ${alone.canaryCalls}`);
});

function play(scenario: Scenario, verify = false): ScenarioResult {
  const runs = count({ quick: 10, full: 1000 });
  const results = seeds.map((seed) => runScenario(scenario, { runs, seed, verify }));
  const total = (key: "runs" | "promoted" | "rolledBack" | "inconclusive" | "held" | "wrong") =>
    results.reduce((sum, result) => sum + result[key], 0);
  const mean = (key: "calls" | "everybodyAt" | "canaryCalls" | "harmed") =>
    results.reduce((sum, result) => sum + result[key], 0) / results.length;
  return {
    name: scenario.name,
    runs: total("runs"),
    promoted: total("promoted"),
    rolledBack: total("rolledBack"),
    inconclusive: total("inconclusive"),
    held: total("held"),
    wrong: total("wrong"),
    calls: mean("calls"),
    everybodyAt: mean("everybodyAt"),
    canaryCalls: mean("canaryCalls"),
    harmed: mean("harmed"),
  };
}

/** At most 1 % of many runs; of a few, as many as would be 4 deviations more. */
function assertRight({ wrong, runs, name }: ScenarioResult, share = 0.01): void {
  const most = full ? share * runs : share * runs + 4 * Math.sqrt(share * runs);
  assert.ok(wrong <= most, `${name}: ${wrong} of ${runs} ended wrong, at most ${most.toFixed(1)} may`);
}
