import assert from "node:assert/strict";
import { test } from "node:test";
import { laneOf } from "../../support/require.ts";
import { openHosts, spec } from "./support.ts";

const returned = {
  "a string": ['"text"', { ok: true, output: "text" }],
  nothing: ["undefined", { ok: true, output: "" }],
  "a number": ["42", { ok: true, output: "42", data: 42 }],
  null: ["null", { ok: true, output: "null", data: null }],
  "a JSON value": [
    "({ a: [1, 2n, undefined] })",
    { ok: true, output: '{"a":[1,"2",null]}', data: { a: [1, "2", null] } },
  ],
  "a result": ['({ ok: true, output: "x", data: { n: 1 } })', { ok: true, output: "x", data: { n: 1 } }],
  "a result without output": ["({ ok: true, data: [1] })", { ok: true, output: "[1]", data: [1] }],
  "a failure": [
    '({ ok: false, error: "no such city", hint: "try Paris", error_type: "not_found" })',
    { ok: false, error: "no such city", hint: "try Paris", errorType: "not_found" },
  ],
  "a failure without a word": ["({ ok: false })", { ok: false, error: "The tool failed and did not say why." }],
  "a function": [
    "(() => 1)",
    {
      ok: false,
      error: "The tool returned a function; return a string, a JSON value or { ok, output }.",
      errorType: "invalid_result",
    },
  ],
} as const;

test("whatever a tool returns is a clear result [C2]", async (t) => {
  const { file, call } = await openHosts(t);
  const cases = Object.entries(returned).map(([name, [code]]) => `${JSON.stringify(name)}: () => ${code}`);
  const tool = file(
    "returns.js",
    `${spec("returns")}const values = {${cases.join(",\n")}};\nexport const run = ({ which }) => values[which]();`,
  );
  for (const [which, [, result]] of Object.entries(returned)) {
    assert.deepEqual(await call(tool, { which }), { result, entered: true }, which);
  }
});

test("an object that contains itself, a thrown value and a huge text break nothing [C2 C5]", async (t) => {
  const { hosts, file, call } = await openHosts(t);
  const tool = file(
    "odd.js",
    `${spec("odd")}
     const circle = {}; circle.self = circle;
     const deeds = {
       circle: () => circle,
       error: () => { throw new TypeError("no good"); },
       nothing: () => { throw undefined; },
       later: async () => { await 1; throw new Error("later"); },
       huge: () => "x".repeat(100_000_000),
     };
     export const run = ({ deed }) => deeds[deed]();`,
  );
  const { result: circle } = await call(tool, { deed: "circle" });
  assert.ok(!circle.ok && circle.errorType === "invalid_result");
  assert.match(circle.error, /can't be written as JSON \(Converting circular structure to JSON\)/);
  const { result: thrown } = await call(tool, { deed: "error" });
  assert.ok(!thrown.ok && thrown.errorType === "threw" && thrown.error === "no good");
  assert.match(thrown.output ?? "", /tools\/odd\.js:6:/);
  const { result: nothing } = await call(tool, { deed: "nothing" });
  assert.deepEqual(nothing, { ok: false, error: "undefined", errorType: "threw" });
  const { result: later } = await call(tool, { deed: "later" });
  assert.ok(!later.ok && later.error === "later");
  const { result: huge } = await call(tool, { deed: "huge" });
  assert.ok(huge.ok && huge.outputBytes === 100_000_000);
  assert.match(huge.output.slice(-40), /x… \[92000000 characters cut\]$/);
  assert.equal(hosts.list().length, 1);
});

test("what a Python tool returns or raises is a clear result too [C2]", laneOf("odd.py"), async (t) => {
  const { hosts, file, call } = await openHosts(t);
  const tool = file(
    "odd.py",
    `import datetime, sys
TOOL_SPEC = {"name": "odd", "description": "A tool.", "input_schema": {"type": "object"}}
circle = []
circle.append(circle)
def fail():
    raise ValueError("no good")
deeds = {
    "none": lambda: None,
    "value": lambda: {"at": datetime.date(2026, 1, 2), "of": {"b", "a"}},
    "circle": lambda: circle,
    "object": lambda: object(),
    "fail": fail,
    "key": lambda: {}["missing"],
    "exit": lambda: sys.exit(3),
    "huge": lambda: "x" * 100_000_000,
}
def run(input_data, context):
    return deeds[input_data["deed"]]()
`,
  );
  const results = async (deed: string): Promise<unknown> => (await call(tool, { deed })).result;
  assert.deepEqual(await results("none"), { ok: true, output: "" });
  assert.deepEqual(await results("value"), {
    ok: true,
    output: '{"at": "2026-01-02", "of": ["a", "b"]}',
    data: { at: "2026-01-02", of: ["a", "b"] },
  });
  const why = (what: string): unknown => ({
    ok: false,
    error: `The tool returned something that can't be written as JSON (${what}); return a string, a JSON value or {ok, output}.`,
    errorType: "invalid_result",
  });
  assert.deepEqual(await results("circle"), why("Circular reference detected"));
  assert.deepEqual(await results("object"), why("a object"));
  assert.partialDeepStrictEqual(await results("fail"), { ok: false, error: "no good", errorType: "threw" });
  assert.partialDeepStrictEqual(await results("key"), { ok: false, error: "KeyError: 'missing'", errorType: "threw" });
  assert.deepEqual(await results("exit"), {
    ok: false,
    error: "The tool called sys.exit(3); return a result or raise an error instead.",
    errorType: "crashed",
  });
  assert.partialDeepStrictEqual(await results("huge"), { ok: true, outputBytes: 100_000_000 });
  assert.equal(hosts.list().length, 1);
});
