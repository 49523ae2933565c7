import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import type { Execution, ToolCall } from "../../src/core/call.ts";
import type { Tool, ToolResult } from "../../src/core/tool.ts";
import { looseTool, setUpEngine } from "../support/engine.ts";

let runs = 0;
const run = (): Promise<ToolResult> => {
  runs += 1;
  return Promise.resolve({ ok: true, output: "ran" });
};
const write = defineTool({
  name: "write",
  description: "Writes.",
  input: z.object({
    file_path: z.string().describe("Path of the file"),
    content: z.string(),
    mode: z.enum(["new", "any"]).optional(),
    limit: z.number().nullable().optional(),
  }),
  run,
});
const edit = defineTool({
  name: "edit",
  description: "Edits.",
  input: z.object({ edits: z.array(z.object({ old_string: z.string(), new_string: z.string() })) }),
  run,
});
const empty = defineTool({ name: "noop", description: "Nothing.", input: z.object({}), run });
const tools = [write, edit, empty];

/** Runs one call that can't run, and proves that it left by the same door as any other. */
async function refused(call: ToolCall, offered: readonly Tool[] = tools): Promise<Execution & { hint: string }> {
  const { engine, ledger, events } = setUpEngine({ tools: offered });
  const before = runs;
  const execution = await engine.call(call);
  assert.equal(runs, before);
  assert.equal(execution.state, "failed");
  assert.equal(execution.runPhase, "not_started");
  assert.equal(execution.startedAt, null);
  assert.equal(execution.durationMs, null);
  assert.equal(ledger.openedWith.length, 0);
  assert.deepEqual(
    ledger.settledWith.map(({ execution: { id, state, error } }) => [id, state, error]),
    [[execution.id, "failed", execution.error]],
  );
  assert.deepEqual(engine.finished(10), [execution]);
  assert.deepEqual(engine.get(execution.id), execution);
  await Promise.resolve();
  assert.deepEqual(
    events.map(({ type }) => type),
    ["execution:created", "execution:settled"],
  );
  assert.ok(execution.result?.ok === false);
  assert.equal(execution.result.error, execution.error);
  assert.equal(execution.result.errorType, execution.errorType);
  return { ...execution, hint: execution.result.hint ?? "" };
}

test("an unknown tool is a failed execution that names the nearest tool [E6]", async () => {
  const execution = await refused({ tool: "wriet", input: { a: 1 } });
  assert.equal(execution.error, "Unknown tool: wriet");
  assert.equal(execution.errorType, "unknown_tool");
  assert.equal(execution.toolName, "wriet");
  assert.equal(execution.toolId, null);
  assert.deepEqual(execution.toolInput, { a: 1 });
  assert.equal(execution.hint, "Did you mean write?");
});

test("an unknown tool that resembles none is answered with the list [E6]", async () => {
  const execution = await refused({ tool: "zzzzzz" });
  assert.equal(execution.error, "Unknown tool: zzzzzz");
  assert.equal(execution.hint, "The tools are: write, edit, noop.");
  assert.equal((await refused({ tool: "zzzzzz" }, [])).hint, "The tools are: none.");
});

test("an alias of a tool that is not offered says so and says what there is [E6 P9]", async () => {
  const execution = await refused({ tool: "WebFetch" });
  assert.equal(execution.error, "Unknown tool: WebFetch");
  assert.match(execution.hint, /^"WebFetch" means web_fetch, which is not offered here\. The tools are: /);
  assert.match((await refused({ tool: "web_fetch" })).hint, /^"web_fetch" is not offered here\. /);
});

test("hundreds of tools are not all listed, and an endless name is cut [E6]", async () => {
  const many = Array.from({ length: 300 }, (_, at) => looseTool({ name: `q${at}q`, run }));
  assert.match((await refused({ tool: "zzzzzzzz" }, many)).hint, /^The tools are: q0q, .*, q39q and 260 more\.$/);
  const { error } = await refused({ tool: "x".repeat(100_000) });
  assert.equal(error, `Unknown tool: ${"x".repeat(200)}`);
});

test("an alias in odd case runs the tool, and the record keeps both names [E6 P9]", async () => {
  const { engine } = setUpEngine({ tools });
  for (const name of ["Write", "WRITE_FILE", "WriteFile", "write-file", "  write_file "]) {
    const { state, toolName, toolId } = await engine.call({ tool: name, input: { file_path: "a", content: "" } });
    assert.deepEqual([state, toolName, toolId], ["completed", name, "write"]);
  }
});

for (const inputText of ["{", '{"a":', "nul", "{'a': 1}", '{"a": 1} x', "\u0000", "undefined", "{".repeat(5000)]) {
  test(`input that is not JSON (${JSON.stringify(inputText.slice(0, 12))}) is told so with what to send [E6]`, async () => {
    const execution = await refused({ tool: "write", inputText });
    assert.match(execution.error!, /^The input of write is not JSON: /);
    assert.equal(execution.errorType, "invalid_input");
    assert.equal(execution.toolId, "write");
    assert.equal(execution.toolInput, inputText);
    assert.match(execution.hint, /^For "write" send file_path \(string\): Path of the file; content \(string\); mode/);
  });
}

test("JSON text that parses is the input, and empty text is an empty object [E6]", async () => {
  const { engine } = setUpEngine({ tools });
  const written = await engine.call({ tool: "write", inputText: ' {"file_path": "a", "content": "b"}\n' });
  assert.deepEqual([written.state, written.toolInput], ["completed", { file_path: "a", content: "b" }]);
  for (const inputText of ["", "  \n", "{}"]) {
    assert.equal((await engine.call({ tool: "noop", inputText })).state, "completed");
  }
  assert.equal((await engine.call({ tool: "noop" })).state, "completed");
});

test("missing parameters are all named, with what to send [E6]", async () => {
  const execution = await refused({ tool: "write_file", input: {} });
  assert.equal(execution.error, "Missing parameters: file_path, content");
  assert.equal(execution.errorType, "invalid_input");
  assert.equal(
    execution.hint,
    'For "write" send file_path (string): Path of the file; content (string); ' +
      'mode ("new" | "any", optional); limit (number | null, optional)',
  );
});

test("a wrong type is named with its path, what was expected and what came [E6]", async () => {
  const { error } = await refused({ tool: "write", input: { file_path: 7, content: "x" } });
  assert.equal(error, "Wrong parameters: file_path: expected string, got the number 7");
});

test("missing and wrong fields deep inside have their whole path [E6]", async () => {
  const input = { edits: [{ old_string: "a", new_string: "b" }, { old_string: 1 }] };
  const { error } = await refused({ tool: "edit", input });
  assert.equal(
    error,
    "Missing parameters: edits[1].new_string. Wrong parameters: edits[1].old_string: expected string, got the number 1",
  );
});

test("a stray key is named with the one that was probably meant [E6]", async () => {
  const { error, hint } = await refused({ tool: "write", input: { filepath: "a", contents: "b", zzz: 1 } });
  assert.equal(error, "Missing parameters: file_path, content");
  assert.match(
    hint,
    /^Not known here: "filepath" \(did you mean file_path\?\), "contents" \(did you mean content\?\), "zzz"\. For "write" send /,
  );
});

for (const input of [null, 5, "text", [], [{}], true]) {
  test(`an input that is ${JSON.stringify(input)} is answered, not thrown [E6]`, async () => {
    if (input === null) {
      assert.equal((await refused({ tool: "write", input })).error, "Missing parameters: file_path, content");
      return;
    }
    const { error } = await refused({ tool: "write", input });
    assert.match(error!, /^Wrong parameters: the input: expected object, got /);
  });
}

test("a hundred wrong fields do not make an endless message [E6]", async () => {
  const edits = Array.from({ length: 100 }, () => ({ old_string: 1, new_string: 2 }));
  const { error } = await refused({ tool: "edit", input: { edits } });
  assert.ok(error!.length < 1000, `${error!.length}`);
});

test("a tool whose check, schema or properties break fails that call and no other [E6]", async () => {
  const broken: Tool[] = [
    {
      ...looseTool({ name: "check_throws", run }),
      check() {
        throw new Error("checker down");
      },
    },
    Object.defineProperty({ ...looseTool({ name: "schema_throws", run }) }, "inputSchema", {
      get() {
        throw new Error("no schema");
      },
    }),
    { ...looseTool({ name: "odd_schema", run }), inputSchema: { properties: { a: null, b: true, c: 5 }, required: 7 } },
    { ...looseTool({ name: "no_schema", run }), inputSchema: null as never },
  ];
  const thrown = await refused({ tool: "check_throws", input: {} }, broken);
  assert.equal(thrown.error, "The check of check_throws's input broke: checker down");
  assert.equal(thrown.errorType, "invalid_input");
  for (const name of ["schema_throws", "odd_schema", "no_schema"]) {
    const { error } = await refused({ tool: name, inputText: "{" }, broken);
    assert.match(error!, new RegExp(`^The input of ${name} is not JSON`));
  }
});

test("a tool named like something every object has does not break the others [E6]", async () => {
  const odd = [looseTool({ name: "constructor", run }), looseTool({ name: "valueOf", run })];
  assert.equal((await refused({ tool: "zzzzzzzz" }, odd)).error, "Unknown tool: zzzzzzzz");
});

test("a key that means nothing does not stop the call, and is told with the nearest one that does [E6]", async () => {
  const { engine } = setUpEngine({ tools });
  const execution = await engine.call({ tool: "write", input: { file_path: "a", content: "b", limits: 3 } });
  assert.equal(execution.state, "completed");
  assert.equal(execution.note, 'Ignored, because write has no such parameter: "limits" (did you mean limit?).');
});
