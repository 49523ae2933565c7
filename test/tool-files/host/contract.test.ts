import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually, inMode, modes } from "../../process/support.ts";
import { laneOf } from "../../support/require.ts";
import { openHosts, spec, watched } from "./support.ts";

for (const mode of modes) {
  describe(`sandbox ${mode}`, inMode(mode), () => {
    for (const name of ["echo-tool.ts", "echo-tool.py"]) {
      test(`${name} is described, checked and called [C2]`, laneOf(name), async (t) => {
        const { hosts, fixture, call } = await openHosts(t, { mode });
        const file = fixture(name);
        assert.deepEqual(await hosts.describe(file), {
          ok: true,
          spec: {
            name: "echo_tool",
            description: "Gives back the text.",
            inputSchema: {
              type: "object",
              properties: { text: { type: "string" }, mode: { type: "string", enum: ["plain", "upper"] } },
              required: ["text"],
              additionalProperties: false,
            },
            traits: { readOnly: true, risk: "low", category: "text" },
            timeoutMs: 5000,
            cases: [{ name: "plain", input: { text: "hi" }, expect: "hi" }],
            hasLifecycle: false,
          },
        });
        assert.deepEqual(hosts.list(), []);
        const told = watched();
        assert.deepEqual(await call(file, { text: "hi", mode: "upper" }, told), {
          result: { ok: true, output: "HI" },
          entered: true,
        });
        assert.equal(told.sandboxes[0]?.kind, mode === "off" ? "none" : "bwrap");
        assert.equal(await hosts.check(file, { text: "hi" }), null);
        const problems = [
          { path: "text", kind: "missing", message: "text is missing" },
          { path: "mode", kind: "wrong", message: 'mode: expected one of "plain", "upper", got the string "loud"' },
        ];
        assert.deepEqual(await hosts.check(file, { mode: "loud" }), problems);
        assert.deepEqual(await call(file, { mode: "loud" }), {
          result: {
            ok: false,
            error: `The input does not fit: text is missing; ${problems[1]!.message}.`,
            errorType: "invalid_input",
          },
          entered: false,
          problems,
        });
        assert.equal(hosts.list().length, 1);
      });
    }
  });
}

test("create makes what is called, and a definition is as good as a spec [C2]", async (t) => {
  const { hosts, file, call } = await openHosts(t);
  const withCreate = file(
    "counter.mjs",
    `${spec("counter")}export async function create({ workdir }) {
       let count = 0;
       return { run: () => workdir.length > 0 && String(++count), close() {} };
     }`,
  );
  assert.deepEqual((await call(withCreate)).result, { ok: true, output: "1" });
  assert.deepEqual((await call(withCreate)).result, { ok: true, output: "2" });
  const described = await hosts.describe(withCreate);
  assert.ok(described.ok && described.spec.hasLifecycle);

  const defined = file(
    "greet.ts",
    `import { defineTool } from "deckhand";
     import { z } from "zod";
     export default defineTool({
       name: "greet", description: "Greets.", traits: { readOnly: true }, idleMs: 700,
       input: z.object({ name: z.string().min(1).describe("Whom"), times: z.number().int().default(2) }),
       async run({ name, times }) { return { ok: true, output: ("hi " + name + " ").repeat(times).trim() }; },
     });`,
  );
  assert.deepEqual(await hosts.describe(defined), {
    ok: true,
    spec: {
      name: "greet",
      description: "Greets.",
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1, description: "Whom" },
          times: { default: 2, type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        },
        required: ["name"],
      },
      traits: { readOnly: true },
      idleMs: 700,
      cases: [],
      hasLifecycle: false,
    },
  });
  assert.deepEqual((await call(defined, { name: "Ada" })).result, { ok: true, output: "hi Ada hi Ada" });
  assert.deepEqual((await call(defined, {})).problems, [{ path: "name", kind: "missing", message: "name is missing" }]);
});

test("CommonJS, imports beside the original and packages of the workdir work [C2]", async (t) => {
  const { file, call, workdir } = await openHosts(t);
  const common = file(
    "old.js",
    `const { basename } = require("node:path");
     module.exports = { TOOL_SPEC: { name: "old", description: "Old.", input_schema: { type: "object" } }, run: ({ path }) => basename(path) };`,
  );
  assert.deepEqual((await call(common, { path: "/a/b.txt" })).result, { ok: true, output: "b.txt" });
  writeFileSync(join(workdir, "tools", "helper.ts"), "export const double = (n: number): number => n * 2;\n");
  mkdirSync(join(workdir, "node_modules/three"), { recursive: true });
  writeFileSync(join(workdir, "node_modules/three/index.js"), "module.exports = 3;\n");
  const importing = file(
    "importing.ts",
    `import { double } from "./helper.ts";
     import three from "three";
     ${spec("importing")}
     export const run = (): string => [double(21), three, import.meta.filename].join(" ");`,
  );
  assert.deepEqual((await call(importing)).result, { ok: true, output: `42 3 ${join(workdir, "tools/importing.ts")}` });
});

const asking = {
  "asking.ts": `${spec("asking")}
    export async function run(input, context) {
      context.progress("begun");
      console.log("printed", await context.ask("Really?"));
      const { workdir, executionId, conversationId, idempotency_key, env, signal } = context;
      const told = [workdir, executionId, conversationId, idempotency_key, env.GREETING, signal.aborted];
      return { ok: true, output: told.join(" "), files: ["a.txt"] };
    }`,
  "asking.py": `TOOL_SPEC = {"name": "asking", "description": "A tool.", "input_schema": {"type": "object"}}
async def run(input_data, context):
    context.progress("begun")
    print("printed", await context.ask_async("Really?"))
    aborted = "true" if context.cancelled() else "false"
    ids = [context.execution_id, context.conversation_id, context.idempotency_key]
    output = " ".join([context.workdir, *ids, context.env["GREETING"], aborted])
    return {"ok": True, "output": output, "files": ["a.txt"]}
`,
};

for (const [name, source] of Object.entries(asking)) {
  test(
    `${name} is told about its call, shows progress and asks; what it prints is no message [C2]`,
    laneOf(name),
    async (t) => {
      const { file, call, workdir } = await openHosts(t);
      const told = watched({ answered: true, text: "yes" });
      const ids = { executionId: "call_7", conversationId: "ses_1", idempotencyKey: "key_9" };
      const outcome = await call(file(name, source), {}, { ...told, ...ids });
      assert.deepEqual(outcome, {
        result: { ok: true, output: `${workdir} call_7 ses_1 key_9 hello false`, files: ["a.txt"] },
        entered: true,
      });
      assert.deepEqual(told.questions, [{ text: "Really?" }]);
      assert.deepEqual(told.updates[0], { message: "begun" });
    },
  );
}

test("TypeScript is kept without its types, and is the same tool then [C2 C3]", async (t) => {
  const { hosts, fixture, call, workdir } = await openHosts(t, {}, (folder) => ({
    strippedFolder: join(folder, "stripped"),
  }));
  const file = fixture("echo-tool.ts");
  const described = await hosts.describe(file);
  const kept = join(workdir, "stripped", `${file.hash}.js`);
  await eventually(() => existsSync(kept), "the text without types was kept");
  assert.equal(readFileSync(kept, "utf8").split("\n").length, readFileSync(file.path, "utf8").split("\n").length);
  assert.doesNotMatch(readFileSync(kept, "utf8"), /interface|: string/);
  assert.deepEqual(await hosts.describe(file), described);
  assert.deepEqual((await call(file, { text: "hi" })).result, { ok: true, output: "hi" });
});

test("what was kept beside the copy is imported, with and without the types of the tool [C2 C10]", async (t) => {
  const { hosts, file, call, workdir } = await openHosts(t, {}, (folder) => ({
    strippedFolder: join(folder, "stripped"),
  }));
  writeFileSync(join(workdir, "versions", "kept.ts"), 'export const word: string = "kept";\n');
  writeFileSync(join(workdir, "tools", "kept.ts"), 'export const word: string = "newer";\n');
  const tool = file(
    "words.ts",
    `import { word } from "./kept.ts";\n${spec("words")}export const run = (): string => word;`,
  );
  assert.deepEqual((await call(tool)).result, { ok: true, output: "kept" });
  await eventually(() => existsSync(join(workdir, "stripped", `${tool.hash}.js`)), "the text without types was kept");
  await hosts.retire(tool);
  assert.deepEqual((await call(tool)).result, { ok: true, output: "kept" });
});
