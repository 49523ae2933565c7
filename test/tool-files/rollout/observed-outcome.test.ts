import assert from "node:assert/strict";
import { test } from "node:test";
import type { Execution } from "../../../src/core/call.ts";
import { outcomeOf, type Trial } from "../../../src/tool-files/rollout/release/tool-release.ts";
import { makeExecution } from "../../contract/make-execution.ts";

const failed = (errorType: string | null): Trial["failure"] => ({ error: "broken", errorType, output: "" });
const trial = (failure: Trial["failure"], onStable: Trial["onStable"] = null): Trial => ({
  latencyMs: 5,
  failure,
  onStable,
});

function ended(given: Partial<Execution>): Execution {
  return makeExecution({ state: "completed", runPhase: "returned", ...given });
}

const broken = (errorType: Execution["errorType"]): Execution => ended({ state: "failed", error: "broken", errorType });

const table: readonly (readonly [what: string, execution: Execution, trial: Trial | null, outcome: string | null])[] = [
  ["it completed", ended({}), null, "ok"],
  ["it completed on trial", ended({}), trial(null), "ok"],
  ["it failed", broken("threw"), trial(failed("threw")), "error"],
  ["it failed and said no type", broken(null), trial(failed(null)), "error"],
  ["stable answered what it failed", ended({}), trial(failed("threw"), "ok"), "error"],
  ["it timed out", ended({ state: "timeout", runPhase: "started" }), null, "timeout"],
  ["somebody stopped it", ended({ state: "cancelled", runPhase: "started" }), null, null],
  ["somebody stopped it after it had failed", ended({ state: "cancelled" }), trial(failed("threw")), null],
  ["nobody ran it", ended({ state: "failed", runPhase: "not_started", errorType: "denied" }), null, null],
  ["its host could not start it", broken("spawn"), trial(failed("spawn")), "error"],
  ["the input is wrong for both", broken("invalid_input"), trial(failed("invalid_input"), "failed"), null],
  ["the input is wrong, and nobody asked stable", broken("invalid_input"), trial(failed("invalid_input")), null],
  ["stable takes the input", ended({}), trial(failed("invalid_input"), "ok"), "error"],
  ["the runtime died over it", broken("runtime_lost"), null, null],
  ["the operating system refused", broken("access"), trial(failed("access")), "fatal"],
  ["it says that data is damaged", broken("threw"), trial(failed("data_corruption")), "fatal"],
  ["its process broke down", broken("crashed"), trial(failed("crashed")), "fatal"],
  ["it took all memory", broken("memory"), trial(failed("memory")), "fatal"],
  ["what is refused to stable as well", broken("access"), trial(failed("access"), "failed"), "error"],
];

for (const [what, execution, tried, outcome] of table) {
  test(`${what}: ${outcome ?? "says nothing"} [V4]`, () => {
    assert.equal(outcomeOf(execution, tried), outcome);
  });
}

test("a call that succeeded with a wrong result counts as that, not as good [V4]", () => {
  const execution = makeExecution({ state: "completed" });
  assert.equal(outcomeOf(execution, { ...trial(null), wrong: "The output is not JSON." }), "wrong");
  assert.equal(outcomeOf(execution, trial(null)), "ok");
});
