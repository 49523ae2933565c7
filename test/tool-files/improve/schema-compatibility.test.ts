import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { JsonSchema } from "../../../src/core/json.ts";
import { compareSchemas } from "../../../src/tool-files/improve/schema-compatibility.ts";
import { validateInput } from "../../../src/tool-files/host/child/read-raw-spec.ts";
import { count } from "../../support/counts.ts";

const object = (properties: object, more: object = {}): JsonSchema => ({ type: "object", properties, ...more });
const closed = { additionalProperties: false };
const text = { type: "string" };

describe("a schema that takes all that was taken [V7]", () => {
  for (const [name, before, after] of [
    [
      "is the same with other descriptions",
      object({ a: text }),
      object({ a: { ...text, description: "new" } }, { title: "T" }),
    ],
    ["keeps a property that is called description", object({ description: text }), object({ description: text })],
    ["requires less", object({ a: text }, { required: ["a"] }), object({ a: text })],
    ["has a further value", object({ a: { enum: ["x"] } }), object({ a: { enum: ["x", "y"] } })],
    ["takes a list for what was one value", object({ a: { const: "x" } }), object({ a: { enum: ["x", "y"] } })],
    ["takes a further type", object({ a: text }), object({ a: { type: ["string", "null"] } })],
    ["takes numbers for integers", object({ a: { type: "integer" } }), object({ a: { type: "number" } })],
    ["takes one of several forms", object({ a: text }), object({ a: { anyOf: [text, { type: "number" }] } })],
    ["has looser bounds", object({ a: { minimum: 1, maxLength: 5 } }), object({ a: { minimum: 0 } })],
    ["drops a pattern", object({ a: { type: "string", pattern: "^a" } }), object({ a: text })],
    ["gets a property where none was allowed", object({ a: text }, closed), object({ a: text, b: text }, closed)],
    ["takes anything more", object({ a: text }, closed), object({ a: text })],
    ["has wider items", object({ a: { items: { enum: [1] } } }), object({ a: { items: { enum: [1, 2] } } })],
  ] as const) {
    test(name, () => assert.deepEqual(compareSchemas(before, after), { compatible: true }));
  }
});

describe("a schema that takes less, or may [V7]", () => {
  for (const [name, before, after, reason] of [
    [
      "requires more",
      object({ a: text }),
      object({ a: text }, { required: ["a"] }),
      "the input: a is required now, and was not.",
    ],
    [
      "loses a value",
      object({ a: { enum: [1, 2] } }),
      object({ a: { enum: [1] } }),
      "the input.a: the value 2 is not taken any more.",
    ],
    [
      "gets a list of values",
      object({ a: text }),
      object({ a: { ...text, enum: ["x"] } }),
      'the input.a: only ["x"] is taken now.',
    ],
    [
      "loses a type",
      object({ a: { type: ["string", "null"] } }),
      object({ a: text }),
      "the input.a: the type null is not taken any more.",
    ],
    [
      "has tighter bounds",
      object({ a: { maximum: 9 } }),
      object({ a: { maximum: 8 } }),
      "the input.a: maximum is 8 now, and was 9.",
    ],
    [
      "gets a bound",
      object({ a: text }),
      object({ a: { ...text, maxLength: 8 } }),
      "the input.a: maxLength is 8 now, and was left out.",
    ],
    [
      "allows nothing more",
      object({ a: text }),
      object({ a: text }, closed),
      "the input.*: nothing is taken there any more.",
    ],
    [
      "loses a property where no other is allowed",
      object({ a: text }, closed),
      object({}, closed),
      "the input.a: nothing is taken there any more.",
    ],
    [
      "gets a property where any was allowed",
      object({}),
      object({ b: text }),
      "the input.b: the type number is not taken any more. It was taken under any form before.",
    ],
    [
      "has a keyword that nobody knows",
      object({}),
      object({}, { dependentRequired: { a: ["b"] } }),
      'the input: dependentRequired is {"a":["b"]} now, and was left out.',
    ],
    [
      "changes beside references",
      object({ a: { $ref: "#/$defs/t" } }, { $defs: { t: { type: ["string", "null"] } } }),
      object({ a: { $ref: "#/$defs/t" } }, { $defs: { t: text } }),
      "It changes a schema that has references, and nobody can say what else that changes.",
    ],
  ] as const) {
    test(name, () => assert.deepEqual(compareSchemas(before, after), { compatible: false, reason }));
  }
});

const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>("", "a", "ab", "abc", 0, 1, 1.5, 2, 3, true, null),
    fc.array(tie("any"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
  ),
})).any;

const anyType = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");

/** Few keywords each: with many of them nothing fits, and nothing is shown. */
const node = fc.letrec<{ any: unknown }>((tie) => {
  const nodes = fc.array(tie("any"), { minLength: 1, maxLength: 2 });
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.oneof(anyType, fc.uniqueArray(anyType, { minLength: 1, maxLength: 5 })),
    enum: fc.array(fc.constantFrom<unknown>("a", "ab", 1, 2, null), { minLength: 1, maxLength: 4 }),
    const: fc.constantFrom<unknown>("a", 1),
    minimum: fc.integer({ min: 0, max: 2 }),
    exclusiveMaximum: fc.integer({ min: 1, max: 4 }),
    minLength: fc.integer({ min: 0, max: 2 }),
    maxLength: fc.integer({ min: 0, max: 3 }),
    multipleOf: fc.constantFrom(1, 0.5),
    pattern: fc.constantFrom("^a", "b"),
    minItems: fc.integer({ min: 0, max: 1 }),
    required: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 }),
    properties: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 2 }),
    additionalProperties: tie("any"),
    items: tie("any"),
    anyOf: nodes,
    allOf: nodes,
    oneOf: nodes,
    not: tie("any"),
  };
  const pairs = Object.entries(keywords).map(([name, arbitrary]) => arbitrary.map((given) => [name, given] as const));
  const some = fc.uniqueArray(fc.oneof({ maxDepth: 4 }, ...pairs), { maxLength: 3, selector: ([name]) => name });
  return { any: fc.oneof({ maxDepth: 2 }, fc.boolean(), some.map(Object.fromEntries)) };
}).any;

/** The same schema with a few keywords of another one, at the top or one level below: what an edit looks like. */
function edit(before: unknown, other: unknown, keys: readonly string[]): unknown {
  if (typeof before !== "object" || typeof other !== "object" || !before || !other) return other;
  const edited: Record<string, unknown> = { ...before };
  for (const key of keys) {
    const next = (other as Record<string, unknown>)[key];
    if (key === "properties" && edited[key] && next) edited[key] = { ...edited[key], ...next };
    else if (next === undefined) delete edited[key];
    else edited[key] = next;
  }
  return edited;
}

const names =
  "type enum const minimum exclusiveMaximum minLength maxLength multipleOf pattern minItems required properties " +
  "additionalProperties items anyOf allOf oneOf not";
const keyword = fc.constantFrom(...names.split(" "));

test("whatever is called compatible takes no input less, for any two schemas and inputs [V7]", () => {
  const seen = { changed: 0, fitting: 0 };
  const edited = fc
    .tuple(node, node, fc.uniqueArray(keyword, { minLength: 1, maxLength: 3 }))
    .map(([before, other, keys]) => [before, edit(before, other, keys)] as const);
  const pair = fc.oneof(edited, fc.tuple(node, node));
  fc.assert(
    fc.property(pair, fc.array(value, { minLength: 12, maxLength: 12 }), ([before, after], values) => {
      const wrap = (inner: unknown): JsonSchema => object({ v: inner }, { required: ["v"] });
      if (JSON.stringify(before) === JSON.stringify(after)) return;
      if (!compareSchemas(wrap(before), wrap(after)).compatible) return;
      seen.changed++;
      for (const each of values) {
        if (validateInput(before, each).length > 0) continue;
        seen.fitting++;
        assert.deepEqual(validateInput(after, each), [], JSON.stringify({ before, after, each }));
      }
    }),
    { numRuns: count({ quick: 6000, full: 100_000 }) },
  );
  // Saying no to everything would pass the rest.
  assert.ok(seen.changed > 300 && seen.fitting > 2000, JSON.stringify(seen));
});
