import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { completeTraits } from "../../../src/core/define-tool.ts";
import type { ToolTraits } from "../../../src/core/tool.ts";
import { findWidening, type SpecPromises } from "../../../src/tool-files/improve/check-proposal.ts";

interface Given extends Omit<Partial<SpecPromises>, "traits" | "cases"> {
  readonly traits?: Partial<ToolTraits>;
  readonly cases?: readonly (typeof aCase)[];
}

const promises = ({ traits = {}, ...more }: Given): SpecPromises => ({
  cases: [],
  ...more,
  traits: completeTraits(traits),
});
const read = { kind: "path", path: "{file}", access: "read" } as const;
const aCase = { name: "one", input: { a: 1 }, expect: "x" };

describe("a spec that promises less is refused [V7]", () => {
  for (const [before, after, problems] of [
    [
      { traits: { readOnly: true, replay: "never", risk: "low" } },
      { traits: { readOnly: false, risk: "low" } },
      ["It says that it changes things now."],
    ],
    [
      { traits: { risk: "low", idempotent: true, replay: "safe" } },
      { traits: { readOnly: true } },
      ["It says that it changes nothing now: calls would not be asked about."],
    ],
    [{ traits: { risk: "high" } }, { traits: { risk: "medium" } }, ["It lowers its risk from high to medium."]],
    [
      { traits: { replay: "never" } },
      { traits: { replay: "safe" } },
      ['It says that a replay is "safe", and was "never".'],
    ],
    [
      { traits: { idempotent: false } },
      { traits: { idempotent: true } },
      ["It says that it is idempotent, and was not."],
    ],
    [
      { traits: { offeredIn: ["agent"] } },
      { traits: { offeredIn: ["agent", "schedule"] } },
      ["It offers itself in schedule, and did not."],
    ],
    [{ traits: {} }, { traits: { category: "web" } }, ['It changes its category to "web".']],
    [{ timeoutMs: 1000 }, { timeoutMs: 2000 }, ["It changes timeout_ms from 1000 to 2000."]],
    [{ timeoutMs: 1000 }, {}, ["It changes timeout_ms from 1000 to left out."]],
    [{}, { idleMs: 5 }, ["It changes idle_ms from left out to 5."]],
    [{ resources: [read] }, {}, ["It changes its resources."]],
    [{ cases: [aCase] }, { cases: [] }, ['It changes or removes the case "one".']],
    [{ cases: [aCase] }, { cases: [{ ...aCase, expect: "y" }] }, ['It changes or removes the case "one".']],
  ] satisfies readonly (readonly [Given, Given, readonly string[]])[]) {
    test(problems.join(" "), () => assert.deepEqual(findWidening(promises(before), promises(after)), problems));
  }

  test("one that promises as much or more is not", () => {
    const before = promises({
      traits: { risk: "low", replay: "safe" },
      timeoutMs: 9,
      resources: [read],
      cases: [aCase],
    });
    const more = [aCase, { ...aCase, name: "two" }];
    const after = promises({ traits: { risk: "high", replay: "never" }, timeoutMs: 8, resources: [read], cases: more });
    assert.deepEqual(findWidening(before, before), []);
    assert.deepEqual(findWidening(before, after), []);
  });
});
