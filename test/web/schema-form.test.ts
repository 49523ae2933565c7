import assert from "node:assert/strict";
import { test } from "node:test";
import { draftOf, emptyDraft, kindOf, readDraft, type Schema } from "../../web/pages/tools/schema-form.ts";

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
