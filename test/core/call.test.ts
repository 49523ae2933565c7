import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf } from "../../src/core/errors.ts";
import { assertTransition, executionStates, isFinal, type ExecutionState } from "../../src/core/call.ts";

const legal: Readonly<Record<string, readonly string[]>> = {
  pending: ["running", "failed", "cancelled"],
  running: ["completed", "failed", "cancelled", "timeout"],
  completed: [],
  failed: [],
  cancelled: [],
  timeout: [],
};

test("there are exactly six states, and the last four are final [E1]", () => {
  assert.deepEqual([...executionStates], ["pending", "running", "completed", "failed", "cancelled", "timeout"]);
  assert.deepEqual(
    executionStates.filter((state) => isFinal(state)),
    ["completed", "failed", "cancelled", "timeout"],
  );
});

test("of the 36 pairs of states only the seven legal steps pass [E1]", () => {
  let passed = 0;
  for (const from of Object.keys(legal) as ExecutionState[]) {
    for (const to of Object.keys(legal) as ExecutionState[]) {
      if (legal[from]!.includes(to)) {
        assertTransition(from, to);
        passed += 1;
        continue;
      }
      assert.throws(
        () => assertTransition(from, to),
        (thrown: Error) => codeOf(thrown) === "ILLEGAL_TRANSITION" && thrown.message.includes(`from ${from} to ${to}`),
        `${from} → ${to}`,
      );
    }
  }
  assert.equal(passed, 7);
});
