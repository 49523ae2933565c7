import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { kindOf, placeKind } from "../../../src/tool-files/rollout/metrics/input-kind.ts";

const echo = {
  type: "object",
  properties: {
    text: { type: "string" },
    mode: { type: "string", enum: ["plain", "upper"] },
    loud: { type: "boolean" },
    times: { type: "integer" },
  },
};

test("a kind is the properties that are there, with the values of those that have few [V3]", () => {
  const kinds: readonly (readonly [input: unknown, kind: string])[] = [
    [{ text: "hello", mode: "upper" }, "mode=upper,text"],
    [{ mode: "upper", text: "another" }, "mode=upper,text"],
    [{ text: "x", loud: false, times: 3 }, "loud=false,text,times"],
    [{ text: undefined, loud: true }, "loud=true"],
    [{ text: null }, "text"],
    [{ mode: "not one of them" }, "mode"],
    [{ loud: "sk-secret" }, "loud"],
    [{ mode: ["upper"] }, "mode"],
    [{ text: "x", "sk-secret": 1 }, "text"],
    [{ "sk-secret": 1 }, "unlisted"],
    [{}, "empty"],
    [undefined, "empty"],
    [null, "null"],
    [[1], "array"],
    ["text", "string"],
    [3, "number"],
  ];
  for (const [input, kind] of kinds) assert.equal(kindOf(input, echo), kind, JSON.stringify(input));
});

test("few values are found through references, unions and constants [V3]", () => {
  const schema = {
    type: "object",
    $defs: { Mode: { enum: ["a", "b", 3, null] }, Loop: { $ref: "#/$defs/Loop" } },
    properties: {
      mode: { allOf: [{ $ref: "#/$defs/Mode" }] },
      side: { anyOf: [{ const: "left" }, { const: "right" }] },
      flag: { type: ["boolean", "null"] },
      loop: { $ref: "#/$defs/Loop" },
      far: { $ref: "https://example.com/schema.json" },
      lost: { $ref: "#/$defs/constructor/name" },
    },
    oneOf: [{ properties: { action: { const: "read" } } }, { properties: { action: { const: "write" } } }],
  };
  assert.equal(kindOf({ mode: "a", side: "left", flag: true }, schema), "flag=true,mode=a,side=left");
  assert.equal(
    kindOf({ mode: 3, flag: null, loop: true, far: "x", lost: "Object" }, schema),
    "far,flag,loop,lost,mode=3",
  );
  assert.equal(kindOf({ action: "write" }, schema), "action=write");
});

test("a property that is called as a reserved kind is another kind [V3]", () => {
  const schema = { properties: { all: {}, other: {}, empty: {}, string: {} } };
  for (const name of ["all", "other", "empty", "string"]) assert.equal(kindOf({ [name]: 1 }, schema), `{${name}}`);
  assert.equal(kindOf({ all: 1, other: 2 }, schema), "all,other");
});

test("names and values that can't be read are hashed [V3]", () => {
  const schema = { properties: { "a/b": {}, 이름: {}, "x,y=z": {}, pick: { enum: ["two words", "é"] }, "\ud800": {} } };
  assert.equal(kindOf({ 이름: 1, pick: "é" }, schema), "pick=é,이름");
  assert.match(kindOf({ "a/b": 1 }, schema), /^~[\da-f]{8}$/);
  assert.match(kindOf({ "x,y=z": 1, pick: "two words" }, schema), /^pick=~[\da-f]{8},~[\da-f]{8}$/);
  assert.match(kindOf({ "\ud800": 1 }, schema), /^~[\da-f]{8}$/);
});

test("a kind is short, and long ones differ [V3]", () => {
  const names = Array.from({ length: 200 }, (_, index) => `property_${index}`);
  const schema = { properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
  const inputs = names.map((left) =>
    Object.fromEntries(names.filter((name) => name !== left).map((name) => [name, 1])),
  );
  const kinds = inputs.map((input) => kindOf(input, schema));
  assert.equal(new Set(kinds).size, names.length);
  for (const kind of kinds) assert.match(kind, /^property_\d+,.*,~[\da-f]{8}$/);
  for (const kind of kinds) assert.ok(kind.length <= 80, kind);
});

test("any input and any schema have a kind, and no value of the input is in it [V3]", () => {
  const secret = "zq7secretzq7";
  const names = fc.constantFrom("a", "b", "__proto__", "constructor", "toString");
  const anyInput = fc.oneof(
    fc.dictionary(names, fc.constantFrom<unknown>(secret, [secret], { a: secret }, true, 1, null)),
    fc.constant(secret),
    fc.anything(),
  );
  const part = fc.constantFrom<unknown>(
    { type: "string" },
    { type: "boolean" },
    { enum: "no list" },
    { enum: [true, 1] },
    { $ref: "#" },
    { $ref: 7 },
    { anyOf: [{ $ref: "#" }, null, 3] },
    true,
    null,
  );
  const anySchema = fc.oneof(
    fc.record({ properties: fc.dictionary(names, part) }),
    fc.record({ properties: fc.anything(), allOf: fc.anything(), $ref: fc.anything() }),
  );
  fc.assert(
    fc.property(anyInput, anySchema, (input, schema) => {
      const kind = kindOf(input, schema);
      assert.ok(kind.length > 0 && kind.length <= 80);
      assert.ok(!kind.includes(secret), kind);
      assert.equal(kindOf(input, schema), kind);
    }),
    { numRuns: 500 },
  );
});

test("after eight kinds all are other, and those that are known stay [V3]", () => {
  const known: string[] = [];
  const placed = Array.from({ length: 12 }, (_, index) => {
    const kind = placeKind(known, `kind ${index}`);
    if (!known.includes(kind)) known.push(kind);
    return kind;
  });
  assert.deepEqual(placed.slice(0, 8), known.slice(0, 8));
  assert.deepEqual(placed.slice(8), ["other", "other", "other", "other"]);
  assert.equal(placeKind(known, "kind 3"), "kind 3");
  assert.equal(placeKind(["other", "all", ...known.slice(0, 7)], "new"), "new");
});
