import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FileProblem } from "../../../src/tool-files/host/tool-host.ts";
import { laneOf } from "../../support/require.ts";
import { openHosts, spec } from "./support.ts";

const schema = (text: string): string =>
  `export const TOOL_SPEC = { name: "x", description: "A tool.", input_schema: ${text} };\nexport const run = () => "";\n`;
const python = (body: string): string =>
  `TOOL_SPEC = {"name": "x", "description": "A tool.", "input_schema": {"type": "object"}}\n${body}\n`;

const broken: readonly (readonly [string, string, FileProblem])[] = [
  [
    "syntax.js",
    `${spec("x")}\nconst a = = 3;\n`,
    { message: "Syntax error: Unexpected token '='", line: 3, hint: null },
  ],
  [
    "syntax.ts",
    `${spec("x")}\nconst a: number = = 3;\n`,
    { message: "Syntax error: Expression expected", line: 3, hint: null },
  ],
  [
    "enum.ts",
    `${spec("x")}enum Color { red }\nexport const run = () => Color.red;\n`,
    {
      message: "Syntax error: TypeScript enum is not supported in strip-only mode",
      line: 2,
      hint: 'Write `const Color = { red: "red" } as const` instead: types are removed, and an enum is more than a type.',
    },
  ],
  [
    "namespace.ts",
    `namespace A { export const b = 1; }\n${spec("x")}`,
    {
      message: "Syntax error: TypeScript namespace declaration is not supported in strip-only mode",
      line: 1,
      hint: "Export functions and constants instead of a namespace: types are removed, and a namespace is more than a type.",
    },
  ],
  [
    "property.ts",
    `${spec("x")}\nclass A { constructor(private readonly b: string) {} }\n`,
    {
      message: "Syntax error: TypeScript parameter property is not supported in strip-only mode",
      line: 3,
      hint: "Declare the field in the class and assign it in the constructor.",
    },
  ],
  [
    "package.ts",
    `import x from "no-such-package";\n${spec("x")}export const run = () => x;\n`,
    {
      message: "Cannot find package 'no-such-package'",
      line: 1,
      hint: "Run `npm install no-such-package` in the workdir, or write the tool without it.",
    },
  ],
  [
    "type.ts",
    `import { Tool } from "deckhand";\n${spec("x")}export const run = (tool: Tool) => "";\n`,
    {
      message: `Syntax error: The requested module 'deckhand' does not provide an export named 'Tool'`,
      line: 1,
      hint: 'Inside a tool file the package "deckhand" has defineTool only; write `import type` if Tool is a type.',
    },
  ],
  ["throws.ts", `${spec("x")}\n\nthrow new Error("not today");\n`, { message: "not today", line: 4, hint: null }],
  [
    "exits.js",
    `${spec("x")}process.exit(4);\n`,
    {
      message: "While it was imported it ended its process with exit code 4.",
      line: null,
      hint: "A tool file must not call process.exit().",
    },
  ],
  [
    "no-run.js",
    `\n${spec("x")}`,
    {
      message: "It has a TOOL_SPEC, but exports neither run nor create.",
      line: 2,
      hint: 'Write: export const TOOL_SPEC = { name: "my_tool", description: "What it does", input_schema: { type: "object", properties: {} } }; export function run(input, context) { return "done"; }',
    },
  ],
  [
    "name.js",
    `${spec("two words")}export const run = () => "";`,
    {
      message: 'TOOL_SPEC.name must have 1 to 64 letters, digits, "_" or "-" and start with a letter; got "two words".',
      line: 1,
      hint: null,
    },
  ],
  [
    "network.js",
    schema('{ type: "object", properties: { a: { $ref: "https://example.com/a.json" } } }'),
    {
      message:
        'TOOL_SPEC.input_schema.properties.a.$ref: must refer to this schema itself; got "https://example.com/a.json".',
      line: 1,
      hint: "Put the schema into $defs and refer to it as #/$defs/name: nothing is loaded from elsewhere.",
    },
  ],
  [
    "type.js",
    schema('{ type: "object", properties: { a: { type: "text" } } }'),
    {
      message:
        'TOOL_SPEC.input_schema.properties.a.type: must be one of object, array, string, number, integer, boolean, null; got "text".',
      line: 1,
      hint: null,
    },
  ],
  [
    "large.js",
    schema('{ type: "object", description: "x".repeat(1_000_000) }'),
    {
      message: "TOOL_SPEC has 977 kB; at most 256 kB are read.",
      line: 1,
      hint: "A model reads all of it on every turn: describe the input in a few lines.",
    },
  ],
  [
    "no-spec.py",
    'def run(input_data, context):\n    return "x"\n',
    {
      message: "It exports no TOOL_SPEC.",
      line: null,
      hint: 'Write: TOOL_SPEC = {"name": "my_tool", "description": "What it does", "input_schema": {"type": "object", "properties": {}}} and below it: def run(input_data, context): return "done"',
    },
  ],
  [
    "syntax.py",
    python("def run(a, b:\n    pass"),
    { message: "Syntax error: '(' was never closed", line: 2, hint: null },
  ],
  [
    "package.py",
    python("import no_such_package"),
    {
      message: "No module named 'no_such_package'",
      line: 2,
      hint: "Run `python3 -m pip install no_such_package`, or write the tool without it.",
    },
  ],
  ["throws.py", python("\nraise KeyError('not today')"), { message: "KeyError: 'not today'", line: 3, hint: null }],
];

for (const language of ["js", "py"]) {
  const files = broken.filter(([name]) => name.endsWith(".py") === (language === "py"));
  test(
    `a file that is no tool is told with line, reason and fix (${language}) [C2 C3]`,
    laneOf(`x.${language}`),
    async (t) => {
      const { hosts, file } = await openHosts(t);
      const found = await Promise.all(files.map(([name, source]) => hosts.describe(file(name, source))));
      assert.deepEqual(
        found,
        files.map(([, , problem]) => ({ ok: false, problem })),
      );
    },
  );
}

test("a top level that never ends is cut off [C5]", async (t) => {
  const { hosts, file } = await openHosts(t, { limits: { loadMs: 2000 } });
  const never = file("never.mjs", `${spec("x")}await new Promise(() => {});`);
  const loop = file("loop.mjs", `${spec("x")}for (;;);`);
  const problem = {
    message: "It was not imported within 2 s.",
    line: null,
    hint: "Something at the top of the file never ends, such as a loop or an await; move it into run() or create().",
  };
  assert.deepEqual(await Promise.all([hosts.describe(never), hosts.describe(loop)]), [
    { ok: false, problem },
    { ok: false, problem },
  ]);
});

test("a file that prints while it is imported is a tool like any other [C2]", async (t) => {
  const { hosts, file } = await openHosts(t);
  const talking = file(
    "talking.js",
    `import { writeSync } from "node:fs";
     console.log('{"kind":"broken"}');
     writeSync(1, '{"kind":"broken"}\\n');
     ${spec("x")}export const run = () => "";`,
  );
  const described = await hosts.describe(talking);
  assert.ok(described.ok, JSON.stringify(described));
});

test("a call of a broken file fails with the same words, and is not entered [C3]", async (t) => {
  const { hosts, file, call } = await openHosts(t);
  const tool = file("throws.ts", `${spec("x")}throw new Error("not today");\n`);
  assert.deepEqual(await call(tool), {
    result: { ok: false, error: "tools/throws.ts, line 2: not today", errorType: "broken_tool" },
    entered: false,
  });
  assert.deepEqual(await hosts.check(tool, {}), [
    { path: "", kind: "wrong", message: "the input can't be checked: not today" },
  ]);
});

test("a host that does not even start tells the error, not the version of Node that stands below it [C3]", async (t) => {
  const { hosts, file } = await openHosts(t, {}, (workdir) => {
    const javascriptHost = join(workdir, "host.mjs");
    writeFileSync(javascriptHost, 'throw new TypeError("no host today");\n');
    return { javascriptHost };
  });
  const message = "While it was imported it ended with exit code 1: TypeError: no host today.";
  assert.deepEqual(await hosts.describe(file("x.mjs", spec("x"))), {
    ok: false,
    problem: { message, line: null, hint: null },
  });
});
