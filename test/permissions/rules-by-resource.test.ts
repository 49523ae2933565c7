import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { z } from "zod";
import { defineTool } from "../../src/core/define-tool.ts";
import type { Tool } from "../../src/core/tool.ts";
import { createMcpTool } from "../../src/mcp/client/mcp-servers.ts";
import type { McpServer } from "../../src/mcp/client/mcp-server.ts";
import { openToolBench, saying } from "../tool-files/support.ts";
import { settingOf } from "../mcp/client/support.ts";
import { openGated, type GatedRuntime } from "./support.ts";

/** Inputs of every tool in the catalog that names a path of its own: where it writes, and where it reads. */
const samples: Readonly<Record<string, { readonly write?: object; readonly read?: object }>> = {
  read: { read: { file_path: "kept/a.txt" } },
  write: { write: { file_path: "kept/a.txt", content: "2" } },
  edit: {
    write: { file_path: "kept/a.txt", old_string: "1", new_string: "2" },
    read: { file_path: "kept/a.txt", old_string: "1", new_string: "2" },
  },
  list_files: { read: { path: "kept" } },
  glob: { read: { pattern: "kept/*" } },
  grep: { read: { pattern: "1", path: "kept" } },
  bash: { write: { command: "touch kept/a.txt" }, read: { command: "cat kept/a.txt" } },
};

/** They write below the folder of tool files, wherever that is. */
const ofToolFiles: Readonly<Record<string, object>> = {
  create_or_update_custom_tool_file: { file_name: "x.ts", content: "1" },
  delete_custom_tool_file: { file_name: "x.ts" },
};

/** Tools that take no path: a new tool is added here or above. */
const withoutPaths = new Set(
  (
    "run_python processes web_fetch web_search ask_user use_agent get_task_status get_task_output list_tasks wait_for_task cancel_task " +
    "list_agents read_history find_tools call_tool list_custom_tools reload_custom_tools tool_registry_status"
  ).split(" "),
);

async function openKept(
  t: TestContext,
  deny: readonly string[],
  { tools = [], ask = [] }: { readonly tools?: readonly Tool[]; readonly ask?: readonly string[] } = {},
): Promise<GatedRuntime> {
  const gated = await openGated(t, { permissions: { deny: [...deny], ask: [...ask], allow: ["*"] } }, { tools });
  await mkdir(join(gated.workdir, "kept"));
  await writeFile(join(gated.workdir, "kept", "a.txt"), "1\n");
  await writeFile(join(gated.workdir, "free.txt"), "1\n");
  return gated;
}

async function refusalOf({ call }: GatedRuntime, tool: string, input: object): Promise<string> {
  const { state, error } = await call(tool, input);
  return state === "completed" ? "ran" : (error ?? "");
}

test("every tool in the catalog has a sample here, or takes no path", async (t) => {
  const { runtime } = await openKept(t, []);
  const unknown = runtime.tools
    .list()
    .map(({ name }) => name)
    .filter((name) => !samples[name] && !ofToolFiles[name] && !withoutPaths.has(name));
  assert.deepEqual(unknown, []);
});

for (const rule of ["write(kept/**)", "edit(kept/**)"]) {
  test(`deny ${rule} stops every built-in tool that would write there, and none that reads [G8]`, async (t) => {
    const gated = await openKept(t, [rule]);
    for (const [tool, { write, read }] of Object.entries(samples)) {
      if (write) assert.equal(await refusalOf(gated, tool, write), `Refused: the rule deny ${rule} covers it`, tool);
      else if (read) assert.equal(await refusalOf(gated, tool, read), "ran", tool);
    }
    assert.equal(await refusalOf(gated, "bash", { command: "cat kept/a.txt" }), "ran");
    assert.equal(await refusalOf(gated, "edit", { file_path: "free.txt", old_string: "1", new_string: "2" }), "ran");
  });
}

test("deny read(…) stops every built-in tool that would read there; write, which shows nothing, passes [G8]", async (t) => {
  const gated = await openKept(t, ["read(kept/**)"]);
  for (const [tool, { read }] of Object.entries(samples)) {
    if (read) assert.equal(await refusalOf(gated, tool, read), "Refused: the rule deny read(kept/**) covers it", tool);
  }
  assert.equal(await refusalOf(gated, "write", { file_path: "kept/a.txt", content: "2" }), "ran");
  assert.equal(await refusalOf(gated, "list_files", {}), "ran");
  assert.equal(await refusalOf(gated, "read", { file_path: "free.txt" }), "ran");
});

test("deny write(tools/**) stops the tools that manage tool files [G8]", async (t) => {
  const gated = await openKept(t, ["write(tools/**)"]);
  for (const [tool, input] of Object.entries(ofToolFiles))
    assert.equal(await refusalOf(gated, tool, input), "Refused: the rule deny write(tools/**) covers it", tool);
});

test("a rule for every path is not a rule for one tool [G8]", async (t) => {
  const gated = await openKept(t, ["write(**)"]);
  for (const [tool, { write }] of Object.entries(samples)) {
    if (write) assert.equal(await refusalOf(gated, tool, write), "Refused: the rule deny write(**) covers it", tool);
  }
  assert.equal(await refusalOf(gated, "read", { file_path: "free.txt" }), "ran");
});

test("deny write(…) finds the file behind every kind of redirect [G8]", async (t) => {
  const gated = await openKept(t, ["write(kept/**)"]);
  for (const operator of [">", ">>", ">|", "&>", "&>>", ">&", "1>&", "2>", "<>"])
    assert.equal(
      await refusalOf(gated, "bash", { command: `echo 2 ${operator} kept/a.txt` }),
      "Refused: the rule deny write(kept/**) covers it",
      operator,
    );
  assert.equal(await refusalOf(gated, "bash", { command: "echo 2 2>&1 >&2" }), "ran");
});

test("a deny rule that names a folder covers what lies in it; an allow rule covers the name alone [G8]", async (t) => {
  const gated = await openKept(t, ["write(kept)"]);
  for (const [tool, { write }] of Object.entries(samples))
    if (write) assert.equal(await refusalOf(gated, tool, write), "Refused: the rule deny write(kept) covers it", tool);
  assert.equal(await refusalOf(gated, "write", { file_path: "kept.txt", content: "2" }), "ran");
  const allowing = await openGated(t, { permissions: { mode: "never", allow: ["write(sub)"] } });
  assert.notEqual(await refusalOf(allowing, "write", { file_path: "sub/a.txt", content: "2" }), "ran");
});

test("code that names a denied path, and a command started in a denied folder, are asked about [G8]", async (t) => {
  const gated = await openKept(t, ["write(kept/**)"]);
  for (const [tool, input] of [
    ["run_python", { code: "open('kept/a.txt', 'w').write('2')" }],
    ["bash", { command: "make", cwd: "kept" }],
  ] as const) {
    const before = gated.asked.length;
    await gated.call(tool, input);
    assert.equal(gated.asked.length, before + 1, tool);
    assert.match(gated.asked.at(-1)!.reasons.join(), /the rule deny write\(kept\/\*\*\) could cover it/);
  }
});

function defineCustom(name: string, access: "read" | "write", more: readonly object[] = []): Tool {
  return defineTool({
    name,
    description: "A tool of a program.",
    traits: { readOnly: access === "read" },
    input: z.object({ where: z.string() }),
    resources: ({ where }) => [{ kind: "path", path: where, access }, ...(more as never[])],
    run: () => Promise.resolve({ ok: true, output: "done" }),
  });
}

test("a rule for paths covers the tools of a program that say what they touch [G8]", async (t) => {
  const port = { kind: "name", name: "port:1", access: "write" };
  const tools = [
    defineCustom("saver", "write"),
    defineCustom("shower", "read"),
    defineCustom("both", "write", [port]),
    defineCustom("all", "write", [{ kind: "everything", access: "write" }]),
  ];
  const gated = await openKept(t, ["write(kept/**)"], { tools });
  const refused = "Refused: the rule deny write(kept/**) covers it";
  assert.equal(await refusalOf(gated, "saver", { where: "kept/a.txt" }), refused);
  assert.equal(await refusalOf(gated, "saver", { where: "./sub/../kept" }), refused);
  assert.equal(await refusalOf(gated, "both", { where: "kept/a.txt" }), refused);
  assert.equal(await refusalOf(gated, "all", { where: "kept/a.txt" }), refused);
  assert.equal(await refusalOf(gated, "shower", { where: "kept/a.txt" }), "ran");
  assert.equal(await refusalOf(gated, "saver", { where: "free.txt" }), "ran");
  // A folder that holds what may not be written.
  await gated.call("saver", { where: "." });
  assert.match(gated.asked.at(-1)?.reasons.join() ?? "", /could cover it/);
});

test("a rule for paths covers tool files: what they declare, and what an input names where they declare nothing [G8]", async (t) => {
  const spec = (more: object) => ({
    traits: {},
    input_schema: { type: "object", properties: { target: { type: "string" } } },
    ...more,
  });
  const bench = await openToolBench(t, {
    "say.ts": saying("x", spec({ resources: [{ kind: "path", path: "{target}", access: "write" }] })),
    "guess.ts": saying("x", spec({ name: "guess" })),
  });
  const runtime = await bench.open({ settings: { permissions: { allow: ["*"], deny: ["write(kept/**)"] } } });
  for (const tool of ["say", "guess"]) {
    const { error } = await runtime.call(tool, { target: "kept/a.txt" }, { door: "agent" });
    assert.equal(error, "Refused: the rule deny write(kept/**) covers it", tool);
    assert.equal((await runtime.call(tool, { target: "free.txt" }, { door: "agent" })).state, "completed", tool);
  }
});

test("a rule for paths covers tools of MCP servers by the paths in their input [G8]", async (t) => {
  const server = (trustsAnnotations: boolean): McpServer =>
    ({
      setting: settingOf({ kind: "stdio", command: "x", args: [], env: {}, cwd: null }, { trustsAnnotations }),
      call: () => Promise.resolve({ ok: true, output: "done" }),
    }) as unknown as McpServer;
  const listed = (name: string, readOnly: boolean) => ({
    name,
    description: "A tool of a server.",
    inputSchema: { type: "object" } as const,
    hints: { readOnly },
  });
  const tools = [
    createMcpTool(server(false), listed("put", false), { name: "files__put", watch: null }),
    createMcpTool(server(false), listed("get", true), { name: "files__get", watch: null }),
    createMcpTool(server(true), listed("look", true), { name: "files__look", watch: null }),
  ];
  const gated = await openKept(t, ["write(kept/**)", "read(free.txt)"], { tools });
  const write = "Refused: the rule deny write(kept/**) covers it";
  const read = "Refused: the rule deny read(free.txt) covers it";
  const file = `file://${join(gated.workdir, "kept/a.txt")}`;
  const outcomes: [tool: string, input: object, expected: string][] = [
    ["files__put", { path: "kept/a.txt" }, write],
    ["files__put", { path: join(gated.workdir, "kept/a.txt") }, write],
    ["files__put", { edits: [{ uri: file }] }, write],
    ["files__put", { url: "https://example.com/x", to: "kept/a.txt" }, write],
    // Nothing says that an untrusted server's tool only reads.
    ["files__get", { path: "kept/a.txt" }, write],
    ["files__get", { path: "free.txt" }, read],
    ["files__look", { path: "kept/a.txt" }, "ran"],
    ["files__look", { path: "free.txt" }, read],
    ["files__put", { path: "other.txt", text: "kept/a.txt\nis a file" }, "ran"],
  ];
  for (const [tool, input, expected] of outcomes)
    assert.equal(await refusalOf(gated, tool, input), expected, JSON.stringify(input));
});

test("an allow rule for paths lets through no more than the tool it names; write(…) includes edit [G8]", async (t) => {
  const tools = [defineCustom("saver", "write")];
  const gated = await openGated(
    t,
    { permissions: { mode: "never", allow: ["write(free.txt)", "edit(only.txt)"] } },
    { tools },
  );
  await writeFile(join(gated.workdir, "free.txt"), "1\n");
  await writeFile(join(gated.workdir, "only.txt"), "1\n");
  const edit = { old_string: "1", new_string: "2" };
  const outcomes: [tool: string, input: object, runs: boolean][] = [
    ["write", { file_path: "free.txt", content: "1\n" }, true],
    ["edit", { file_path: "free.txt", ...edit }, true],
    ["edit", { file_path: "only.txt", ...edit }, true],
    ["write", { file_path: "only.txt", content: "1\n" }, false],
    ["write", { file_path: "other.txt", content: "1\n" }, false],
    ["bash", { command: "touch free.txt" }, false],
    ["saver", { where: "free.txt" }, false],
  ];
  for (const [tool, input, runs] of outcomes)
    assert.equal((await gated.call(tool, input)).state === "completed", runs, `${tool} ${JSON.stringify(input)}`);
});
