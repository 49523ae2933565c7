import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import { codeOf } from "../../src/core/errors.ts";
import type { InputProblem, ToolResult } from "../../src/core/tool.ts";

const done = (): Promise<ToolResult> => Promise.resolve({ ok: true, output: "" });
const plain = { description: "Does nothing.", input: z.object({}), run: done };

test("a tool that says nothing about itself counts as the worst: it changes things, high risk, never replayed [P9]", () => {
  assert.deepEqual(defineTool({ name: "quiet", ...plain }).traits, {
    readOnly: false,
    risk: "high",
    idempotent: false,
    category: "other",
    offeredIn: ["agent", "mcp", "schedule"],
    replay: "never",
  });
  assert.equal(defineTool({ name: "quiet", ...plain }).version, "builtin");
});

test("a read-only tool is low risk, idempotent and safe to replay unless it says otherwise [P9]", () => {
  const { traits } = defineTool({ name: "look", ...plain, traits: { readOnly: true } });
  assert.deepEqual([traits.risk, traits.idempotent, traits.replay], ["low", true, "safe"]);
  const careful = defineTool({ name: "look", ...plain, traits: { readOnly: true, risk: "medium", replay: "check" } });
  assert.deepEqual([careful.traits.risk, careful.traits.replay], ["medium", "check"]);
});

const badNames = ["", "1st", "_x", "-x", "with space", "dots.no", "slash/no", "ünïcode", "a".repeat(65), "a\n", "a b"];
for (const name of badNames) {
  test(`a tool can't be named ${JSON.stringify(name.slice(0, 12))} (${name.length} characters) [P9]`, () => {
    assert.throws(
      () => defineTool({ name, ...plain }),
      (thrown) => codeOf(thrown) === "INVALID_TOOL",
    );
  });
}

test("letters, digits, _ and - make a name, up to 64 of them [P9]", () => {
  for (const name of ["a", "Bash", "read_file", "x-1", "constructor", "a".repeat(64)]) {
    assert.equal(defineTool({ name, ...plain }).name, name);
  }
});

test("the schema is the one of what is sent, not of what arrives: a field with a default is optional [E6]", () => {
  const tool = defineTool({
    ...plain,
    name: "shown",
    input: z.object({
      path: z.string().describe("Where"),
      depth: z.number().default(3),
      tags: z.string().transform((text) => text.split(",")),
    }),
  });
  assert.deepEqual(tool.inputSchema["required"], ["path", "tags"]);
  const properties = tool.inputSchema["properties"] as Record<string, Record<string, unknown>>;
  assert.deepEqual(properties["path"], { type: "string", description: "Where" });
  assert.equal(properties["tags"]!["type"], "string");
  assert.deepEqual(tool.check({ path: "a", tags: "x,y" }), {
    ok: true,
    input: { path: "a", depth: 3, tags: ["x", "y"] },
  });
  assert.equal(tool.inputSchema, tool.inputSchema);
});

test("a schema holds nothing that says nothing", () => {
  const tool = defineTool({ ...plain, name: "lean", input: z.object({ count: z.number().int().min(1) }) });
  assert.deepEqual(tool.inputSchema, {
    type: "object",
    properties: { count: { type: "integer", minimum: 1 } },
    required: ["count"],
  });
});

test("an input that JSON Schema has no word for still has a schema [E6]", () => {
  const tool = defineTool({ ...plain, name: "odd", input: z.object({ when: z.date(), big: z.bigint().optional() }) });
  assert.deepEqual(Object.keys(tool.inputSchema["properties"] as object), ["when", "big"]);
});

const nested = defineTool({
  ...plain,
  name: "nested",
  input: z.object({
    file_path: z.string(),
    count: z.number().int().min(1).optional(),
    mode: z.enum(["fast", "slow"]).optional(),
    edits: z.array(z.object({ old_string: z.string(), options: z.object({ all: z.boolean() }).optional() })).optional(),
    anything: z.record(z.string(), z.number()).optional(),
  }),
});

const problems: readonly (readonly [string, unknown, readonly (readonly [string, InputProblem["kind"]])[]])[] = [
  ["nothing", {}, [["file_path", "missing"]]],
  ["undefined for a field", { file_path: undefined }, [["file_path", "missing"]]],
  ["null for a field", { file_path: null }, [["file_path", "wrong"]]],
  ["a number for a text", { file_path: 7 }, [["file_path", "wrong"]]],
  ["a fraction", { file_path: "a", count: 1.5 }, [["count", "wrong"]]],
  ["too little", { file_path: "a", count: 0 }, [["count", "wrong"]]],
  ["an unknown word", { file_path: "a", mode: "warp" }, [["mode", "wrong"]]],
  ["a list that is none", { file_path: "a", edits: {} }, [["edits", "wrong"]]],
  [
    "holes deep inside",
    { file_path: "a", edits: [{ old_string: "x" }, {}, { old_string: 5, options: {} }] },
    [
      ["edits[1].old_string", "missing"],
      ["edits[2].old_string", "wrong"],
      ["edits[2].options.all", "missing"],
    ],
  ],
  ["a wrong value in a record", { file_path: "a", anything: { "odd key.": "x" } }, [["anything.odd key.", "wrong"]]],
  ["a text instead of an object", "file_path: a", [["", "wrong"]]],
  ["a list instead of an object", [], [["", "wrong"]]],
  ["null instead of an object", null, [["", "wrong"]]],
];
for (const [what, input, expected] of problems) {
  test(`checking finds where the input is wrong: ${what} [E6]`, () => {
    const checked = nested.check(input);
    assert.ok(!checked.ok);
    assert.deepEqual(
      checked.problems.map(({ path, kind }) => [path, kind]),
      expected,
    );
  });
}

test("a problem says what was expected and what came [E6]", () => {
  const messages = (input: unknown): string[] => {
    const checked = nested.check(input);
    return checked.ok ? [] : checked.problems.map(({ message }) => message);
  };
  assert.deepEqual(messages({ file_path: 7 }), ["file_path: expected string, got the number 7"]);
  assert.deepEqual(messages({ file_path: ["a"] }), ["file_path: expected string, got an array"]);
  assert.deepEqual(messages({ file_path: null }), ["file_path: expected string, got null"]);
  assert.deepEqual(messages({}), ["file_path is missing"]);
  assert.deepEqual(messages("x".repeat(100)), [`the input: expected object, got the string "${"x".repeat(40)}…"`]);
  assert.match(messages({ file_path: "a", mode: "warp" })[0]!, /^mode: .*"fast"\|"slow".*, got the string "warp"$/);
});

test("null for what may be left out is left out, unless the tool means something by it [E6]", () => {
  const search = defineTool({
    ...plain,
    name: "search",
    input: z.object({
      text: z.string(),
      limit: z.int().optional(),
      order: z.enum(["up", "down"]).default("up"),
      owner: z.string().nullable().optional(),
    }),
  });
  assert.deepEqual(search.check({ text: "a", limit: null, order: null, owner: null }), {
    ok: true,
    input: { text: "a", order: "up", owner: null },
  });
  const wrong = search.check({ text: null, limit: null });
  assert.deepEqual(wrong.ok || wrong.problems.map(({ message }) => message), ["text: expected string, got null"]);
});

test("keys that the tool does not have are named, unless it takes any [E6]", () => {
  const strict = defineTool({ ...plain, name: "few", input: z.object({ path: z.string() }) });
  assert.deepEqual(strict.check({ path: "a", paht: 1, toString: 2 }), {
    ok: true,
    input: { path: "a" },
    ignored: ["paht", "toString"],
  });
  const open = defineTool({ ...plain, name: "many", input: z.looseObject({ path: z.string() }) });
  assert.deepEqual(open.check({ path: "a", more: 1 }), { ok: true, input: { path: "a", more: 1 } });
});

test("a tool without an object for its input, or without run, is refused [P9]", () => {
  const { run: _run, ...idle } = plain;
  for (const wrong of [
    { ...plain, input: z.string() },
    { ...plain, input: {} },
    { ...idle, input: z.object({}) },
  ]) {
    const definition = { name: "wrong", ...wrong } as unknown as Parameters<typeof defineTool>[0];
    assert.throws(() => defineTool(definition), { code: "INVALID_TOOL" });
  }
});
