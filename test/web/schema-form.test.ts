import assert from "node:assert/strict";
import { test } from "node:test";
import {
  draftOf,
  emptyDraft,
  holds,
  kindOf,
  rangeOf,
  readDraft,
  takesNothing,
  type Schema,
} from "../../web/pages/tools/schema-form.ts";

const schema: Schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    note: { type: "string" },
    limit: { type: "integer", minimum: 1, default: 10 },
    ratio: { type: ["number", "null"] },
    force: { type: "boolean" },
    mode: { type: "string", enum: ["fast", "slow"] },
    tags: { type: "array", items: { type: "string" } },
    where: { type: "object", properties: { city: { type: "string" }, zip: { type: "integer" } }, required: ["city"] },
    extra: { anyOf: [{ type: "string" }, { type: "number" }] },
    anything: {},
  },
  required: ["path", "ratio"],
};

test("each kind of schema has its field, and what no field can hold is JSON", () => {
  const properties = schema["properties"] as Readonly<Record<string, Schema>>;
  assert.deepEqual(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, kindOf(each)])), {
    path: "text",
    note: "text",
    limit: "number",
    ratio: "number",
    force: "boolean",
    mode: "choice",
    tags: "list",
    where: "object",
    extra: "json",
    anything: "json",
  });
  assert.equal(kindOf({ type: "object", additionalProperties: { type: "string" } }), "json");
  assert.equal(kindOf({ $ref: "#/$defs/x" }), "json");
  assert.equal(kindOf({ anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] }), "choice");
});

test("what was not given is left out, but for what is required", () => {
  assert.deepEqual(readDraft(schema, emptyDraft(schema)), {
    value: { path: "", limit: 10, ratio: null },
    problems: [],
  });
});

test("a filled form is the input it stands for, and reads back from it", () => {
  const input = {
    path: "a\nb",
    limit: 3,
    ratio: 0.5,
    force: false,
    mode: "slow",
    tags: ["x", ""],
    where: { city: "Oslo", zip: 150 },
    extra: "7",
    anything: { deep: [1, null] },
  };
  assert.deepEqual(readDraft(schema, draftOf(schema, input)), { value: input, problems: [] });
});

test("wrong fields are told by their place, all of them, in a sentence each", () => {
  const draft = { path: "x", limit: "0", ratio: "a lot", where: { zip: "1.5" }, anything: "{" };
  const { problems } = readDraft(schema, draft);
  assert.deepEqual(
    problems.map(({ path, message }) => [path, message.replace(/JSON: .*/, "JSON: …")]),
    [
      ["limit", "Expected at least 1, got 0."],
      ["ratio", 'Expected a number, got "a lot".'],
      ["where.zip", "Expected a whole number, got 1.5."],
      ["anything", "Expected JSON: …"],
    ],
  );
});

test("constants to choose from are a choice, however the schema writes them", () => {
  assert.equal(kindOf({ anyOf: [{ const: "a" }, { const: 2 }] }), "choice");
  assert.equal(kindOf({ oneOf: [{ const: "a" }, { type: "string" }] }), "json");
});

test("the range of a number is told, without the ends that whole numbers have anyway", () => {
  assert.equal(rangeOf({ type: "integer", minimum: 1, maximum: 100 }), "1 to 100");
  assert.equal(rangeOf({ type: "number", exclusiveMinimum: 0, maximum: 1 }), "more than 0, at most 1");
  assert.equal(rangeOf({ type: "integer", minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }), "");
  assert.equal(rangeOf({ anyOf: [{ type: "number", exclusiveMaximum: 5 }, { type: "null" }] }), "less than 5");
  const half = { type: "object", properties: { ratio: { type: "number", exclusiveMinimum: 0 } } };
  assert.deepEqual(readDraft(half, { ratio: "0" }).problems, [
    { path: "ratio", message: "Expected more than 0, got 0." },
  ]);
});

test("what could be read is kept beside the problems, and what is only missing is told apart", () => {
  const counted: Schema = {
    type: "object",
    properties: { name: { type: "string" }, count: { type: "integer" }, size: { type: "integer" } },
    required: ["name", "count"],
  };
  assert.deepEqual(readDraft(counted, { name: "Kim", count: undefined, size: "big" }), {
    partial: { name: "Kim" },
    problems: [
      { path: "count", message: "A value is needed here.", isMissing: true },
      { path: "size", message: 'Expected a number, got "big".' },
    ],
  });
});

test("an input can only be empty where the schema leaves no way to give one", () => {
  assert.equal(takesNothing({ type: "object" }), true);
  assert.equal(takesNothing({ type: "object", properties: {}, additionalProperties: false }), true);
  assert.equal(takesNothing({ type: "object", oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }), false);
  assert.equal(takesNothing({ type: "object", additionalProperties: { type: "string" } }), false);
  assert.equal(takesNothing({ $ref: "#/$defs/input" }), false);
});

test("one value holds another when all of that is in it", () => {
  assert.equal(holds({ a: 1, b: [{ c: null, d: 1 }] }, { b: [{ c: null }] }), true);
  assert.equal(holds({ a: 1 }, { a: 1, b: undefined }), false);
  assert.equal(holds({ b: [1, 2] }, { b: [1] }), false);
  assert.equal(holds([1], { 0: 1 }), false);
});
