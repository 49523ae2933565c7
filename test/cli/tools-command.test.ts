import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openMachine } from "./run-deckhand.ts";

test("tools lists every tool with what it may do [C6, P9]", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout, stderr } = await machine.run(["tools"]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.match(stdout, /^TOOL +MAY DO +WHAT FOR\n/);
  assert.match(stdout, /^read +read-only +Read a text file\.$/m);
  assert.match(stdout, /^bash +changes things, high risk +\S/m);
  for (const name of ["read", "write", "edit", "list_files", "glob", "grep", "bash", "run_python"]) {
    assert.match(stdout, new RegExp(`^${name} `, "m"));
  }
});

test("tools --json gives what a program needs to offer them [P9]", async (t) => {
  const machine = await openMachine(t);
  const tools = JSON.parse((await machine.run(["tools", "--json"])).stdout) as Record<string, unknown>[];
  const keys = [
    "name",
    "description",
    "aliases",
    "read_only",
    "risk",
    "idempotent",
    "category",
    "offered_in",
    "replay",
    "timeout_ms",
    "version",
    "input_schema",
  ];
  for (const tool of tools) assert.deepEqual(Object.keys(tool), keys);
  const { description, input_schema, aliases, ...read } = tools.find(({ name }) => name === "read")!;
  assert.deepEqual(read, {
    name: "read",
    read_only: true,
    risk: "low",
    idempotent: true,
    category: "files",
    offered_in: ["agent", "mcp", "schedule"],
    replay: "safe",
    timeout_ms: 10_000,
    version: "builtin",
  });
  assert.equal(typeof description, "string");
  assert.ok((aliases as string[]).includes("read_file"));
  assert.deepEqual((input_schema as { required: string[] }).required, ["file_path"]);
});

test("tools NAME describes one tool, by any of its names", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout } = await machine.run(["tools", "RUN_SHELL"]);
  assert.equal(code, 0);
  assert.match(stdout, /^bash\n/);
  assert.match(stdout, /also called +run_shell/);
  assert.match(stdout, /time limit +2 min/);
  assert.match(stdout, /^ {2}command \(string, required\)/m);
  const one = JSON.parse((await machine.run(["tools", "Bash", "--json"])).stdout);
  assert.equal(one.name, "bash");
});

test("a tool that is not there is wrong use, with the nearest name", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout, stderr } = await machine.run(["tools", "raed"]);
  assert.deepEqual(
    { code, stdout, stderr },
    { code: 2, stdout: "", stderr: 'deckhand: There is no tool named "raed". Did you mean read?\n' },
  );
});

/** Nothing is sent to it. */
const withModel = { ANTHROPIC_API_KEY: "none" };

test("deckhand alone, with a model but no terminal, shows the tools, runs one and says what to try next", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout, stderr } = await machine.run([], { env: withModel });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.match(stdout, /^deckhand \d+\.\d+\.\d+ in .*\n\nTOOL /);
  assert.match(stdout, /^ {2}call_\S+ {2}completed in .+ of output$/m);
  assert.match(stdout, /^A conversation needs a terminal; without one: deckhand run "…" does one task\.$/m);
  assert.match(stdout, /^Try:\n( {2}deckhand .+\n){4}$/m);
  const [call] = JSON.parse((await machine.run(["calls", "--json"])).stdout);
  assert.equal(call.tool_id, "list_files");
});

test("deckhand --json says the same as a document", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout } = await machine.run(["--json"]);
  assert.equal(code, 0);
  const { version, workdir, tools, execution } = JSON.parse(stdout);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(workdir, machine.workdir);
  assert.ok(tools.length >= 8);
  assert.equal(execution.state, "completed");
});

test("the welcome suggests what the person can type: the command, or npm start", async (t) => {
  const machine = await openMachine(t);
  const { stdout } = await machine.run([], { env: withModel });
  assert.match(stdout, /\n {2}deckhand tools bash\n/);
  const started = await machine.run([], { env: { ...withModel, npm_lifecycle_event: "start" } });
  assert.match(started.stdout, /\n {2}npm start -- tools bash\n/);
  assert.doesNotMatch(started.stdout, /\n {2}deckhand/);
});

test("the limits that tools shows are those of the settings", async (t) => {
  const machine = await openMachine(t);
  const limits = { timeout_ms: { run_shell: 1500 }, default_timeout_ms: 45_000, max_timeout_ms: 50_000 };
  await writeFile(join(machine.workdir, "deckhand.json"), JSON.stringify({ limits }));
  assert.match((await machine.run(["tools", "bash"])).stdout, /time limit +1\.5 s/);
  const tools = JSON.parse((await machine.run(["tools", "--json"])).stdout) as { name: string; timeout_ms: number }[];
  const limitOf = (wanted: string) => tools.find(({ name }) => name === wanted)?.timeout_ms;
  assert.deepEqual([limitOf("bash"), limitOf("read"), limitOf("grep")], [1500, 10_000, 50_000]);
});
