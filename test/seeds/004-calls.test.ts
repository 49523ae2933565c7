import assert from "node:assert/strict";
import { mkdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { openTalk } from "../cli/talk.ts";
import { tmuxLane } from "../support/tmux.ts";
import { echoJs, jsTool, openToolCommand, say, sessionOf, type ToolCommand } from "./004-support.ts";
import { openConversation, wholeFile, type Json } from "./seed-support.ts";

// Source document 004, sections 7 to 12: calls by hand, limits, the log, and how tool files are looked at.

const tmux = tmuxLane();
let command: ToolCommand;

before(async () => {
  command = await openToolCommand(wholeFile, { "echo_tool.js": echoJs }, { files: { "hello.txt": "hello\n" } });
});

const tool = (name: string, input: object, ...more: string[]) =>
  command.run(["tool", name, JSON.stringify(input), ...more]);

test("4-16 /tools lists the tools", tmux, async (t) => {
  const talk = await openTalk(t, { script: ["Hello."] });
  await talk.seePrompt();
  await talk.say("/tools");
  await talk.see(/^list_files .*read-only/m);
});

test("4-17 /tool NAME JSON runs a tool without the model, and explains JSON that is wrong", tmux, async (t) => {
  const talk = await openTalk(t, { script: ["Hello."], files: { "seen.txt": "" } });
  await talk.seePrompt();
  await talk.say('/tool run_shell {"command":"ls"}');
  await talk.see(/^seen\.txt$/m);
  await talk.seePrompt();
  await talk.say("/tool run_shell {oops");
  await talk.see(/is not JSON/);
});

test("4-18 /reload-tools says what changed", tmux, async (t) => {
  const talk = await openTalk(t, { script: ["Hello."], args: ["doctor"] });
  await talk.see(/^code /m);
  await talk.machine.run(["tools", "new", "made"]);
  await talk.start("agent", "--model", "script:script.json");
  await talk.seePrompt();
  await writeFile(join(talk.machine.workdir, "tools", "more.js"), jsTool("more", "return 1;"));
  await talk.say("/reload-tools");
  await talk.see(/2 tools come from files; new: more\./);
});

test("4-19 rm -rf, sudo and shutdown need a person: without one they are refused, unless the danger is named (differs)", async () => {
  await mkdir(join(command.workdir, "sub"));
  for (const dangerous of ["rm -rf sub", "sudo ls", "shutdown now"]) {
    const { code, stderr } = await tool("run_shell", { command: dangerous });
    assert.equal(code, 3, `${dangerous}: ${stderr}`);
    assert.match(stderr, /--yes-danger/);
  }
  assert.equal((await tool("run_shell", { command: "rm -rf sub" }, "--yes-danger", "rm -rf sub")).code, 0);
  await assert.rejects(stat(join(command.workdir, "sub")), { code: "ENOENT" });
});

test("4-20 files outside the workdir can't be read or written, also not through a link", async () => {
  await symlink("/etc", join(command.workdir, "link"));
  for (const path of ["/etc/passwd", "../evil.txt", "link/passwd"]) {
    for (const [name, input] of [
      ["read", {}],
      ["write", { content: "x" }],
    ] as const) {
      const { code, stdout } = await tool(name, { file_path: path, ...input });
      assert.notEqual(code, 0, `${name} ${path}`);
      assert.doesNotMatch(stdout, /root:/);
    }
  }
});

test("4-21 what is secret is masked in the log", async () => {
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const { stdout } = await tool("echo_tool", { text: `token ${secret} password=hunter2hunter2` });
  assert.ok(stdout.includes(secret));
  const log = await command.read(".deckhand/logs/chat_log.jsonl");
  assert.doesNotMatch(log, /ghp_0123|hunter2/);
  assert.match(log, /\[MASKED:github:/);
});

test("4-22 the log is .deckhand/logs/chat_log.jsonl, private and chained (differs)", async () => {
  const { mode } = await stat(join(command.workdir, ".deckhand", "logs", "chat_log.jsonl"));
  assert.equal(mode & 0o777, 0o600);
  assert.equal((await command.run(["log", "verify"])).code, 0);
});

test("4-23 tool_call, tool_result and assistant_output are in the log", async () => {
  await command.events([{ calls: [{ tool: "echo_tool", input: { text: "x" } }] }, "Said."]);
  const types = new Set((await command.log()).map(({ type }) => type));
  for (const type of ["tool_call", "tool_result", "assistant_output"]) assert.ok(types.has(type), type);
});

test("4-24 an answer that claims a run without a tool_call is found out", async (t) => {
  const own = await openToolCommand(t, { "echo_tool.js": echoJs });
  await own.events(["I ran `npm run lint` and it passed."]);
  const evidence = await own.run(["log", "evidence", "last"]);
  assert.match(evidence.stdout + evidence.stderr, /npm run lint/);
  assert.deepEqual(
    (await own.log()).filter(({ type }) => type === "tool_call"),
    [],
  );
});

test("4-25 exit code, stdout and stderr are in result.data; an exit code that is not 0 is a failed call (differs)", async () => {
  const { stdout, code } = await tool("run_shell", { command: "echo out; echo err >&2; exit 3" }, "--json");
  const { state, result } = JSON.parse(stdout);
  assert.deepEqual([code, state, result.data.exit_code], [1, "failed", 3]);
  assert.deepEqual([result.data.stdout, result.data.stderr], ["out\n", "err\n"]);
});

test("4-26 the shell is bash, without profile and rc file (differs)", async () => {
  const home = command.env["HOME"]!;
  await mkdir(home, { recursive: true });
  for (const name of [".bashrc", ".profile", ".bash_profile"])
    await writeFile(join(home, name), "echo from a profile\n");
  const { stdout } = await tool("run_shell", { command: "echo done" });
  assert.equal(stdout.trim(), "done");
});

test("4-27 commands run in the workdir, which TOOL_WORKDIR names", async (t) => {
  const other = await openToolCommand(t, { "echo_tool.js": echoJs });
  const env = { TOOL_WORKDIR: other.workdir };
  const { stdout } = await command.run(["tool", "run_shell", '{"command":"pwd"}'], { env });
  assert.equal(stdout.trim(), other.workdir);
});

test("4-28 TOOL_TIMEOUT_SECONDS is the time limit, 120 s at most", async () => {
  for (const [seconds, limit] of [
    ["7", 7000],
    ["500", 120_000],
  ] as const) {
    const { stdout } = await command.run(["tool", "run_shell", '{"command":"true"}', "--json"], {
      env: { TOOL_TIMEOUT_SECONDS: seconds },
    });
    assert.equal(JSON.parse(stdout).timeout_ms, limit);
  }
});

test("4-29 each call looks at the folder: an edit, a removal and a broken file count at once", async (t) => {
  const own = await openToolCommand(t, { "a.js": jsTool("a", 'return "one";') });
  const runtime = await own.library(t);
  assert.equal(await say(runtime, "a"), "one");
  await own.save("a.js", jsTool("a", 'return "two";'));
  assert.equal(await say(runtime, "a"), "two");
  await own.save("a.js", "export const TOOL_SPEC = (;");
  assert.equal(await say(runtime, "a"), "two");
  await rename(join(own.workdir, "tools", "a.js"), join(own.workdir, "a.js"));
  assert.match(await say(runtime, "a"), /Unknown tool/);
});

test("4-30 a file that did not change is not loaded again: its state stays", async (t) => {
  const counting = `let n = 0;\n${jsTool("count", "n += 1; return `n=${n}`;")}`;
  const own = await openToolCommand(t, { "count.js": counting });
  const runtime = await own.library(t);
  assert.deepEqual([await say(runtime, "count"), await say(runtime, "count")], ["n=1", "n=2"]);
});

test("4-31 a failed call runs again only when the file changed meanwhile and a repetition is harmless (differs)", async (t) => {
  const failing = jsTool(
    "once",
    `const { appendFileSync, existsSync } = await import("node:fs");
  appendFileSync("ran.txt", "x");
  while (input.text === "wait" && !existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
  throw new Error("no");`,
  );
  const own = await openToolCommand(t, { "once.js": failing });
  const runtime = await own.library(t, { settings: { sandbox: "off", permissions: { allow: ["*"] } } });
  assert.match(await say(runtime, "once", { text: "at once" }), /failed: no/);
  assert.equal(await own.read("ran.txt"), "x");
  const waiting = runtime.call("once", { text: "wait" });
  while ((await own.read("ran.txt")) !== "xx") await new Promise((resolve) => setTimeout(resolve, 10));
  await own.save("once.js", jsTool("once", 'return "new ok";'));
  await own.put("go", "");
  assert.equal((await waiting).result?.output, "new ok");
});

test("4-32 the folder itself is read, without ls (differs)", async (t) => {
  const own = await openToolCommand(t, { "echo_tool.js": echoJs });
  const runtime = await own.library(t, { env: { ...own.env, PATH: "/nowhere" } });
  assert.deepEqual(JSON.parse(await say(runtime, "list_custom_tools")).files, ["tools/echo_tool.js"]);
});

/** 40 tools, of which one fits. */
const many = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => {
    const description = index === 7 ? "Send a reply to a Gmail message." : `Do thing number ${index}.`;
    return [`custom_${index}.js`, jsTool(`custom_${index}`, "return 1;", { description })];
  }),
);

/** The first conversation of a folder with 40 tools, opened once. */
let choice: Promise<{ own: ToolCommand; events: Record<string, Json>[]; names: () => Promise<string[]> }> | undefined;

async function openChoice(): Promise<NonNullable<Awaited<typeof choice>>> {
  const own = await openToolCommand(wholeFile, many);
  const events = await own.events(["Sent."], ["send a gmail reply"]);
  const names = async (): Promise<string[]> => {
    const lines = (await own.read(`.deckhand/sessions/${sessionOf(events)}.jsonl`)).split("\n");
    return JSON.parse(lines.find((line) => line.includes('"type":"tools"'))!).names;
  };
  return { own, events, names };
}

test("4-36 of many tools only those that fit the prompt are offered", async () => {
  const { events, names } = await (choice ??= openChoice());
  const offered = events.find(({ type }) => type === "tools:offered")!;
  assert.ok(offered["offered"] < offered["total"] && offered["saved_percent"] > 0, JSON.stringify(offered));
  const all = await names();
  assert.ok(all.includes("custom_7"));
  assert.equal(all.filter((name) => name.startsWith("custom_")).length, 16);
});

test("4-37 the choice is made once for a conversation, and kept when it is resumed (differs)", async () => {
  const { own, names } = await (choice ??= openChoice());
  const before = await names();
  await own.events(["Sent.", "Again."], ["do thing number 33", "--continue"]);
  assert.deepEqual(await names(), before);
});

test("4-38 [tool-schema-opt] says what was saved", async () => {
  const { own } = await (choice ??= openChoice());
  const { stderr } = await own.run(["run", "send a gmail reply", "--model", "script:script.json"]);
  assert.match(stderr, /\[tool-schema-opt\] saved=\d+%/);
});

test("4-39 a job keeps which file its tool is: kind, file, tool_name, entrypoint", async () => {
  const added = await command.run([
    "schedule",
    "add",
    "echo",
    "--every",
    "1h",
    "--tool",
    "echo_tool",
    "--input",
    '{"text":"x"}',
  ]);
  assert.equal(added.code, 0, added.stderr);
  const job = await command.json(["schedule", "show", "echo"]);
  assert.deepEqual(
    JSON.stringify(job).match(/"tool_ref":(\{[^}]*\})/)?.[1],
    JSON.stringify({
      kind: "custom_file",
      file: "tools/echo_tool.js",
      tool_name: "echo_tool",
      entrypoint: "run",
    }),
  );
});

test("4-40 a job runs its file, not whatever has its name: a file that is gone is said", async (t) => {
  const own = await openToolCommand(t, { "echo_tool.js": echoJs });
  await own.run(["schedule", "add", "echo", "--every", "1h", "--tool", "echo_tool", "--input", '{"text":"x"}']);
  await rename(join(own.workdir, "tools", "echo_tool.js"), join(own.workdir, "tools", "other.js"));
  const { code, stdout, stderr } = await own.run(["schedule", "run", "echo"]);
  assert.notEqual(code, 0);
  assert.match(stdout + stderr, /tools\/echo_tool\.js, the file of the tool echo_tool, is gone/);
});

test("4-43 when tools change, the conversation stays, and the next prompt has a note about it (differs)", async (t) => {
  const own = await openToolCommand(t, { "echo_tool.js": echoJs });
  const runtime = await own.library(t);
  const conversation = await openConversation(t, runtime, { turns: ["One.", "Two."] });
  await conversation.send("hello");
  await own.save("echo_tool.js", echoJs.replace("input.text :", "input.text  :").replace("return", "/* new */ return"));
  await own.save("beta_tool.js", jsTool("beta_tool", "return 1;"));
  await conversation.send("again");
  const text = JSON.stringify(conversation.requests.at(-1));
  assert.match(text, /hello/);
  assert.match(text, /New tools since then: beta_tool/);
  assert.match(text, /Changed since then[^"]*echo_tool/);
});
