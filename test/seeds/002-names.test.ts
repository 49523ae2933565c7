import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Runtime } from "deckhand";
import { openCommand, openConversation, openLibrary, wholeFile } from "./seed-support.ts";

// Source document 002: names of tools, and what each tool is.

let runtime: Runtime;

before(async () => {
  runtime = await openLibrary(wholeFile);
});

test("2-7 a tool is found by the names that models use for it", () => {
  const names = {
    read: ["Read", "READ", "readFile", "read_file", "ReadFile", "file_read", "view_file", "open_file", "read-file"],
    bash: ["Bash", "run_shell", "RunShell", "shell", "execute_command", "run_command"],
    web_fetch: ["WebFetch", "fetch", "url_fetch"],
    ask_user: ["AskUserQuestion", "askUser", "question"],
    grep: ["grep_search", "GrepSearch", "search", "search_files"],
    edit: ["Edit", "str_replace", "replace"],
    list_files: ["LS", "list_dir"],
    run_python: ["Python"],
  };
  for (const [canonical, aliases] of Object.entries(names)) {
    for (const alias of aliases) assert.equal(runtime.tools.canonicalName(alias), canonical, alias);
  }
  assert.equal(runtime.tools.canonicalName("cat"), undefined);
});

test("2-8 settings, rules and hooks take any of these names", async (t) => {
  const own = await openLibrary(t, {
    files: { "a.txt": "hello\n" },
    settings: {
      tools: { disabled: ["Bash", "Web_Fetch"] },
      permissions: { deny: ["Read_File(a.txt)"] },
      hooks: { before: [{ tools: ["WRITE"], command: ["sh", "-c", "echo 'not today' >&2; exit 2"] }] },
    },
  });
  assert.equal((await own.call("run_shell", { command: "true" })).errorType, "unknown_tool");
  assert.equal((await own.call("fetch", { url: "http://127.0.0.1/" })).errorType, "unknown_tool");
  assert.equal((await own.call("read", { file_path: "a.txt" }, { door: "agent" })).errorType, "denied");
  assert.match((await own.call("write", { file_path: "b.txt", content: "x" })).error!, /not today/);
});

test("2-9 one catalogue says which tools are read-only", async (t) => {
  const command = await openCommand(t);
  const { stdout } = await command.run(["tools"]);
  assert.match(stdout, /^TOOL\s+MAY DO\s/m);
  assert.match(stdout, /^read\s+read-only\s/m);
  assert.match(stdout, /^write\s+changes things/m);
});

test("2-10 the catalogue says the category of a tool and where it is offered", async (t) => {
  const command = await openCommand(t, { env: { SEARXNG_URL: "http://127.0.0.1:9/" } });
  const { stdout } = await command.run(["tools", "web_search"]);
  assert.match(stdout, /^\s+category\s+web$/m);
  assert.match(stdout, /^\s+offered in\s+agent, chat, mcp, schedule$/m);
});

test("2-11 a disabled tool is unknown by every name, and the error says so", async (t) => {
  const own = await openLibrary(t, { settings: { tools: { disabled: ["bash"] } } });
  const { error, result } = await own.call("Bash", { command: "true" });
  assert.equal(error, "Unknown tool: Bash");
  assert.match(
    (result?.ok === false && result.hint) || "",
    /^bash is disabled: tools\.disabled in the settings names it\.$/,
  );
});

test("2-36 the model gets the workspace's own notes, and a background agent can be started", async (t) => {
  const own = await openLibrary(t, { files: { "AGENTS.md": "Always answer in verse.\n" } });
  const conversation = await openConversation(t, own, { turns: ["Done."] });
  await conversation.send("Delegate this to an agent.");
  const [request] = conversation.requests;
  assert.match(request!.system, /Always answer in verse\./);
  assert.ok(request!.tools.some(({ name }) => name === "use_agent"));
});
