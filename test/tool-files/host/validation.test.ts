import assert from "node:assert/strict";
import { test } from "node:test";
import { laneOf } from "../../support/require.ts";
import { openHosts } from "./support.ts";

/** Schema of the field `a`, a value that fits, one that does not, and what is said then. */
const table: readonly (readonly [object, unknown, unknown, string])[] = [
  [{ type: "string" }, "x", 1, "a: expected string, got the number 1"],
  [{ type: "integer" }, 2, 2.5, "a: expected integer, got the number 2.5"],
  [{ type: "number" }, 2.5, true, "a: expected number, got the boolean true"],
  [{ type: ["string", "null"] }, null, {}, "a: expected string or null, got an object"],
  [{ type: "boolean" }, false, "no", 'a: expected boolean, got the string "no"'],
  [{ enum: ["x", 1, { b: 1 }] }, { b: 1 }, 2, 'a: expected one of "x", 1, {"b":1}, got the number 2'],
  [{ const: [1] }, [1], [2], "a: expected [1], got an array of 1"],
  [{ type: "string", minLength: 2 }, "👍👍", "👍", 'a: expected at least 2 characters, got the string "👍"'],
  [{ type: "string", maxLength: 1 }, "x", "xy", 'a: expected at most 1 characters, got the string "xy"'],
  [{ type: "string", pattern: "^a+$" }, "aa", "b", 'a: expected a text that fits ^a+$, got the string "b"'],
  [{ type: "number", minimum: 1 }, 1, 0, "a: expected 1 or more, got the number 0"],
  [{ type: "number", exclusiveMaximum: 1 }, 0, 1, "a: expected less than 1, got the number 1"],
  [{ type: "number", multipleOf: 0.1 }, 0.3, 0.35, "a: expected a multiple of 0.1, got the number 0.35"],
  [{ type: "array", items: { type: "string" } }, ["x"], ["x", 1], "a[1]: expected string, got the number 1"],
  [{ type: "array", minItems: 1 }, [1], [], "a: expected at least 1 items, got an array of 0"],
  [{ type: "array", uniqueItems: true }, [1, 2], [1, 1], "a: expected items that differ, got an array of 2"],
  [
    { prefixItems: [{ type: "string" }], items: false },
    ["x"],
    ["x", 1],
    "a[1]: expected nothing here, got the number 1",
  ],
  [
    { type: "object", properties: { b: {} }, additionalProperties: false },
    { b: 1 },
    { c: 1 },
    "a.c is not known; there are: b",
  ],
  [
    { type: "object", additionalProperties: { type: "string" } },
    { b: "x" },
    { b: 1 },
    "a.b: expected string, got the number 1",
  ],
  [{ type: "object", required: ["b"] }, { b: 1 }, {}, "a.b is missing"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, null, 1, "a: expected string, got the number 1"],
  [
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    1.5,
    1,
    "a: expected exactly one of 2 forms, 2 fit, got the number 1",
  ],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 2, 3, "a: expected 2 or less, got the number 3"],
  [{ not: { type: "string" } }, 1, "x", 'a: expected something else, got the string "x"'],
  [{ $ref: "#/$defs/name" }, "x", 1, "a: expected string, got the number 1"],
  [
    { $ref: "#/$defs/tree" },
    { kids: [{ kids: [] }] },
    { kids: [{ kids: 1 }] },
    "a.kids[0].kids: expected array, got the number 1",
  ],
  [{ $ref: "#/$defs/round" }, undefined, 1, "a: expected something that ends, got the number 1"],
];

const $defs = {
  name: { type: "string" },
  tree: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/tree" } } } },
  round: { $ref: "#/$defs/round" },
};

const properties = Object.fromEntries(
  table.map(([schema], index) => [`case${index}`, { type: "object", properties: { a: schema } }]),
);
const schema = JSON.stringify({ type: "object", properties, $defs });

const files = {
  "checked.js": `export const TOOL_SPEC = { name: "checked", description: "A tool.", input_schema: ${schema} };\nexport const run = () => "";`,
  "checked.py": `import json\nTOOL_SPEC = {"name": "checked", "description": "A tool.", "input_schema": json.loads(${JSON.stringify(schema)})}\ndef run(input_data, context):\n    return ""\n`,
};

for (const [name, source] of Object.entries(files)) {
  test(`inputs are checked inside the host of ${name} [C2]`, laneOf(name), async (t) => {
    const { hosts, file } = await openHosts(t);
    const tool = file(name, source);
    const described = await hosts.describe(tool);
    assert.ok(described.ok, JSON.stringify(described));
    for (const [index, [, good, bad, message]] of table.entries()) {
      if (good !== undefined) assert.equal(await hosts.check(tool, { [`case${index}`]: { a: good } }), null, message);
      const problems = await hosts.check(tool, { [`case${index}`]: { a: bad } });
      assert.deepEqual(
        problems?.map((each) => each.message.replaceAll(`case${index}.`, "")),
        [message],
      );
    }
  });
}

test("a pattern that takes for ever is cut off, and the next check gets a new process [C5]", async (t) => {
  const { hosts, file } = await openHosts(t, { limits: { checkMs: 3000 } });
  const tool = file(
    "bomb.js",
    `export const TOOL_SPEC = { name: "bomb", description: "A tool.", input_schema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } };\nexport const run = () => "";`,
  );
  assert.deepEqual(await hosts.check(tool, { a: `${"a".repeat(40)}!` }), [
    {
      path: "",
      kind: "wrong",
      message: "the input: checking it took too long; a pattern of the schema may need for ever",
    },
  ]);
  assert.equal(await hosts.check(tool, { a: "aa" }), null);
});
