import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { executionToWire } from "../../src/core/wire.ts";
import type { Execution } from "../../src/core/call.ts";
import { encodeExecution } from "../../src/records/sqlite/call-row.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { count } from "../support/counts.ts";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", "\u2028", "\u0000", "a b"));
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(arbitrary);
const result = fc.oneof(
  fc.record({ ok: fc.constant(true as const), output: text }),
  fc.record({ output: text, ok: fc.constant(true as const), data: fc.jsonValue(), outputBytes: fc.nat() }),
  fc.record({ ok: fc.constant(false as const), error: text, hint: text }),
);
const changes: fc.Arbitrary<Partial<Execution>> = fc.record(
  {
    toolName: text,
    toolId: orNull(text),
    toolInput: fc.jsonValue(),
    result: orNull(result),
    error: orNull(text),
    note: orNull(text),
    createdAt: fc.integer({ min: -8.64e15, max: 8.64e15 }),
    completedAt: orNull(fc.nat()),
    durationMs: orNull(fc.double({ noNaN: true, noDefaultInfinity: true })),
    timeoutMs: orNull(fc.nat()),
    conversationId: orNull(text),
    turn: orNull(fc.nat()),
    killed: fc.array(fc.record({ pid: fc.nat(), command: text }), { maxLength: 3 }),
    permission: orNull(
      fc.record({
        decision: fc.constantFrom("allow", "deny"),
        by: fc.constantFrom("mode", "rule", "person"),
        rule: orNull(text),
        who: orNull(text),
        dangers: fc.array(text, { maxLength: 2 }),
        reasons: fc.array(text, { maxLength: 2 }),
      }),
    ),
    owner: orNull(fc.record({ pid: fc.nat(), startTime: text, bootId: text })),
  },
  { requiredKeys: [] },
);

test("the body says what the codec says, without its nulls [E2]", () => {
  fc.assert(
    fc.property(changes, (given) => {
      const execution = complete(makeExecution(), given);
      const wire = JSON.parse(JSON.stringify(executionToWire(execution))) as Record<string, unknown>;
      const expected = Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== null));
      assert.deepEqual(JSON.parse(encodeExecution(execution)), expected);
    }),
    { numRuns: count({ quick: 300, full: 5000 }) },
  );
});

const circular: Record<string, unknown> = { ok: true, output: "done" };
circular["itself"] = circular;

const strange: readonly { readonly name: string; readonly given: Record<string, unknown> }[] = [
  { name: "a result that holds itself", given: { result: circular } },
  { name: "a number that JSON does not know", given: { turn: 12n } },
  { name: "a function in the place of a text", given: { note: () => "", version: () => "" } },
  { name: "a permission that lacks its lists", given: { permission: { decision: "allow" } } },
  {
    name: "a decision with a quote in it",
    given: { permission: { decision: 'a"b', by: "", dangers: [], reasons: [] } },
  },
  { name: "lists that are none", given: { killed: null, survivors: 3 } },
];

for (const { name, given } of strange) {
  test(`${name} is kept as far as JSON can [E2]`, () => {
    const execution = { ...complete(makeExecution()), ...given } as unknown as Execution;
    const body = JSON.parse(encodeExecution(execution)) as Record<string, unknown>;
    assert.equal(body["id"], execution.id);
    assert.equal(body["state"], "completed");
    assert.deepEqual(body["tool_input"], { path: "notes.md" });
  });
}
