import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Runtime } from "deckhand";
import { hasPython, lane } from "../support/require.ts";
import { echoJs, echoPython, jsTool, openToolCommand, say, sessionOf, type ToolCommand } from "./004-support.ts";
import { openCommand, openConversation, wholeFile } from "./seed-support.ts";

// Source document 004, sections 1 to 7: the built-in tools, and tool files.

const python = lane("python", hasPython());
let command: ToolCommand;
let runtime: Runtime;

before(async () => {
  const tools = { "echo_tool.js": echoJs, "broken.js": "export const TOOL_SPEC = (;\n" };
  command = await openToolCommand(wholeFile, tools, { files: { "hello.txt": "hello\n" } });
  runtime = await command.library(wholeFile);
});

test("4-1 what the model asks for as tool_use is run here, and its tool_result goes back", async () => {
  const events = await command.events([
    { calls: [{ tool: "echo_tool", input: { text: "here" } }] },
    { text: "Done.", expect: { tool_result: "here" } },
  ]);
  assert.deepEqual([events.at(-1)!["state"], events.at(-1)!["text"]], ["answered", "Done."]);
});

test("4-2 list_files", async () => {
  const { code, stdout } = await command.run(["tool", "list_files", "{}"]);
  assert.equal(code, 0);
  assert.match(stdout, /hello\.txt/);
  assert.match(stdout, /tools\/?[^]*echo_tool\.js/);
});

test("4-3 read_file", async () => {
  assert.match(await say(runtime, "read_file", { file_path: "hello.txt" }), /hello/);
});

test("4-4 write_file", async () => {
  assert.match(await say(runtime, "write_file", { file_path: "w.txt", content: "hi" }), /^Created w\.txt/);
  assert.equal(await command.read("w.txt"), "hi");
});

test("4-5 run_shell", async () => {
  assert.equal((await say(runtime, "run_shell", { command: "echo from the shell" })).trim(), "from the shell");
});

test("4-6 run_python", python, async () => {
  assert.equal((await say(runtime, "run_python", { code: "print(6 * 7)" })).trim(), "42");
});

test("4-7 list_custom_tools says files, loaded and errors, with the line of an error", async () => {
  const listed = JSON.parse(await say(runtime, "list_custom_tools"));
  assert.deepEqual(Object.keys(listed), ["files", "loaded", "errors"]);
  assert.deepEqual(listed.files, ["tools/broken.js", "tools/echo_tool.js"]);
  assert.deepEqual(listed.loaded, ["echo_tool"]);
  assert.match(listed.errors[0].error, /^tools\/broken\.js:1: /);
});

test("4-8 reload_custom_tools says what is new, changed and gone", async (t) => {
  const own = await openToolCommand(t, { "a.js": jsTool("a", 'return "a";'), "b.js": jsTool("b", 'return "b";') });
  const opened = await own.library(t);
  await say(opened, "list_custom_tools");
  await own.save("a.js", jsTool("a", 'return "new a";'));
  await rm(join(own.workdir, "tools", "b.js"));
  await own.save("c.js", jsTool("c", 'return "c";'));
  const { added, changed, removed } = JSON.parse(await say(opened, "reload_custom_tools"));
  assert.deepEqual({ added, changed, removed }, { added: ["c"], changed: ["a"], removed: ["b"] });
});

test("4-9 the folder is tools/, or the one that CUSTOM_TOOL_DIR names", async (t) => {
  const own = await openCommand(t);
  const elsewhere = join(own.workdir, "..", "elsewhere");
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, "echo_tool.js"), echoJs);
  const env = { CUSTOM_TOOL_DIR: elsewhere };
  const { stdout } = await own.run(["tool", "echo_tool", '{"text":"from there"}'], { env });
  assert.equal(stdout, "from there\n");
});

test("4-10 a file in tools/ is loaded once the user trusts it; without a terminal the error names the command (differs)", async (t) => {
  const own = await openCommand(t, { files: { "tools/echo_tool.js": echoJs } });
  const refused = await own.run(["tool", "echo_tool", '{"text":"x"}']);
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /you have not trusted it yet\. Look at it, then run `deckhand trust tools\/echo_tool\.js`/,
  );
  assert.equal((await own.run(["trust", "tools/echo_tool.js", "--yes"])).code, 0);
  assert.equal((await own.run(["tool", "echo_tool", '{"text":"x"}'])).stdout, "x\n");
});

test("4-11 a Python file with TOOL_SPEC and run(input_data, context) is a tool", python, async (t) => {
  const dict = echoPython.replace("echo_tool", "dict_tool").replace(/ {4}text = [^]*/, '    return {"n": 1}\n');
  const own = await openToolCommand(t, { "echo_tool.py": echoPython, "dict_tool.py": dict });
  const opened = await own.library(t);
  assert.equal(await say(opened, "echo_tool", { text: "hello", mode: "upper" }), "HELLO");
  assert.deepEqual(JSON.parse(await say(opened, "dict_tool", { text: "" })), { n: 1 });
});

test("4-12 the same works in JavaScript and TypeScript", async (t) => {
  const typed = jsTool("typed", "const n: number = 1; return `n=${n}`;");
  const own = await openToolCommand(t, { "plain.js": jsTool("plain", "return 3 + 5;"), "typed.ts": typed });
  const opened = await own.library(t);
  assert.equal(await say(opened, "plain"), "8");
  assert.equal(await say(opened, "typed"), "n=1");
});

test("4-13 TOOL_SPEC and run must both be there, and what is missing is said with how to write it", async (t) => {
  const own = await openToolCommand(t, {
    "no_spec.js": "export const run = () => 1;\n",
    "no_run.js": echoJs.replace("run", "walk"),
  });
  const { errors } = JSON.parse(await say(await own.library(t), "list_custom_tools"));
  assert.match(errors[0].error, /no_run\.js:1: It has a TOOL_SPEC, but exports neither run nor create\. Write: /);
  assert.match(errors[1].error, /no_spec\.js: It exports no TOOL_SPEC\. Write: /);
});

test("4-14 the example: echo_tool with a text and a mode", async () => {
  const { stdout } = await command.run(["tool", "echo_tool", '{"text":"hello","mode":"upper"}']);
  assert.equal(stdout, "HELLO\n");
});

test("4-15 the model can look by itself: ls, list, reload, then call; its user's tools are offered whatever the first words are", async () => {
  const events = await command.events(
    [
      { calls: [{ tool: "run_shell", input: { command: "ls tools" } }] },
      { calls: [{ tool: "list_custom_tools", input: {} }], expect: { tool_result: "echo_tool.js" } },
      { calls: [{ tool: "reload_custom_tools", input: {} }], expect: { tool_result: "echo_tool" } },
      { calls: [{ tool: "echo_tool", input: { text: "found" } }], expect: { tool_result: "loaded" } },
      { text: "Done.", expect: { tool_result: "found" } },
    ],
    ["hello"],
  );
  assert.equal(events.at(-1)!["state"], "answered");
  const session = await command.read(`.deckhand/sessions/${sessionOf(events)}.jsonl`);
  const names = JSON.parse(session.split("\n").find((line) => line.includes('"type":"tools"'))!).names;
  for (const name of ["echo_tool", "list_custom_tools", "read", "bash", "run_python", "web_fetch", "processes"]) {
    assert.ok(names.includes(name), name);
  }
});

test("4-33 tool_registry_status says the state of each file", async () => {
  const { files } = JSON.parse(await say(runtime, "tool_registry_status"));
  assert.deepEqual(Object.keys(files[1]), ["file", "state", "tool", "version", "is_current", "release", "problem"]);
  assert.deepEqual([files[0].state, files[1].state, files[1].tool], ["broken", "loaded", "echo_tool"]);
});

test("4-34 a tool that the model wrote and the user approved is usable at once, by the model and by the user", async (t) => {
  const own = await openToolCommand(t, { "echo_tool.js": echoJs });
  const shown: string[] = [];
  const opened = await own.library(t, {
    settings: {},
    approve(request) {
      shown.push(request.preview?.diff ?? "");
      return Promise.resolve({ decision: "allow", scope: "once", who: "kim" });
    },
  });
  const order = { file_name: "made.js", content: jsTool("made", 'return "made here";') };
  const conversation = await openConversation(t, opened, {
    turns: [
      { calls: [{ tool: "create_or_update_custom_tool_file", input: order }] },
      { calls: [{ tool: "made", input: {} }], expect: { toolResult: '"loaded"' } },
      { calls: [{ tool: "call_tool", input: { name: "made", input: {} } }], expect: { toolResult: "made here" } },
      { text: "Done.", expect: { toolResult: "made here" } },
    ],
  });
  assert.equal((await conversation.send("make a tool")).state, "answered");
  assert.match(shown[0]!, /\+.*made here/);
  assert.equal(await say(opened, "made"), "made here");
});

test("4-35 delete_custom_tool_file", async (t) => {
  const own = await openToolCommand(t, { "echo_tool.js": echoJs });
  const args = ["tool", "delete_custom_tool_file", '{"file_name":"echo_tool.js"}', "--yes-danger", "protected.path"];
  assert.equal((await own.run(args)).code, 0);
  assert.match((await own.run(["tool", "echo_tool", '{"text":"x"}'])).stderr, /Unknown tool: echo_tool/);
});

test("4-41 with create(context), one object serves the calls of a process", async (t) => {
  const text = `${jsTool("counter", "").split("export async function")[0]}
export function create() { let n = 0; return { run: () => \`n=\${++n}\`, close() {} }; }\n`;
  const own = await openToolCommand(t, { "counter.js": text });
  const opened = await own.library(t);
  assert.deepEqual([await say(opened, "counter"), await say(opened, "counter")], ["n=1", "n=2"]);
});

test("4-42 close() is called when the file changes, is removed, and at the end: one for each create()", async (t) => {
  const log = "lives.txt";
  const write = `import { appendFileSync } from "node:fs";\n`;
  const counting = (word: string): string => `${write}${jsTool("lives", "").split("export async function")[0]}
export function create(context) {
  const path = context.workdir + "/${log}";
  appendFileSync(path, "create ${word}\\n");
  return { run: () => "${word}", close() { appendFileSync(path, "close ${word}\\n"); } };
}\n`;
  const own = await openToolCommand(t, { "lives.js": counting("one") });
  const opened = await own.library(t);
  assert.equal(await say(opened, "lives"), "one");
  await own.save("lives.js", counting("two"));
  assert.equal(await say(opened, "lives"), "two");
  await opened.close();
  const lines = (await own.read(log)).trim().split("\n").sort();
  assert.deepEqual(lines, ["close one", "close two", "create one", "create two"]);
});
