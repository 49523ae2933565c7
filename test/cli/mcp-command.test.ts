import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { openMachine, deckhand, type Machine } from "./run-deckhand.ts";

const patienceMs = 60_000;

/** A machine with two agents: one says what it was told, one waits for a file. */
async function openWorld(t: TestContext, settings: object = {}): Promise<Machine> {
  const machine = await openMachine(t);
  const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const waiting = `echo begun; until [ -e "$0" ]; do sleep 0.05; done; echo done`;
  const agents = {
    parrot: { command: ["cat"], output: "text" },
    patient: { command: ["sh", "-c", waiting, join(machine.workdir, "go")], output: "text" },
  };
  await writeFile(join(folder, "deckhand.json"), JSON.stringify({ agents, ...settings }));
  return machine;
}

type Call = (
  name: string,
  input?: Record<string, unknown>,
) => Promise<{ text: string; data: unknown; isError: boolean }>;

interface Connected {
  readonly client: Client;
  readonly call: Call;
}

async function connect(t: TestContext, transport: Transport): Promise<Connected> {
  const client = new Client({ name: "test", version: "0" }, { capabilities: {} });
  await client.connect(transport, { timeout: patienceMs });
  afterTest(t, () => client.close());
  return {
    client,
    async call(name, input = {}) {
      const answer = await client.callTool({ name, arguments: input }, { timeout: patienceMs });
      const text = answer.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
      return { text, data: answer.structuredContent, isError: answer.isError === true };
    },
  };
}

function overStdio(t: TestContext, { workdir, env }: Machine, ...words: readonly string[]): Promise<Connected> {
  const args = [...deckhand, "mcp", "--workdir", workdir, ...words];
  return connect(t, new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" }));
}

async function finish(call: Call, id: string): Promise<string> {
  for (;;) {
    const { text } = await call("wait_for_task", { task_id: id, timeout: 20 });
    if (!text.startsWith('{"status":"running"')) return text;
  }
}

test("a client hands a job over on stdin and stdout, and the next server has its result [T1, T2, T3, T6]", async (t) => {
  const machine = await openWorld(t);
  const first = await overStdio(t, machine);
  const { data } = await first.call("use_agent", { cli_name: "patient", message: "wait" });
  const { task_id: id } = data as { task_id: string };
  await first.client.close();
  const second = await overStdio(t, machine);
  const { text } = await second.call("get_task_status", { task_id: id });
  assert.match(text, /^\{"status":"running","elapsed_time":\d+\}$/);
  await writeFile(join(machine.workdir, "go"), "");
  assert.equal(await finish(second.call, id), '{"status":"completed","result":"begun\\ndone"}');
});

test("an agent that is unknown, or a folder that is not there, is refused in one sentence, and no task comes of it [T1, T8]", async (t) => {
  const machine = await openWorld(t);
  const { call } = await overStdio(t, machine);
  const unknown = await call("use_agent", { cli_name: "parot", message: "hello" });
  assert.deepEqual([unknown.isError, unknown.data], [true, undefined]);
  assert.match(unknown.text, /^Unknown agent "parot"\. Did you mean "parrot"\?/);
  const missing = await call("use_agent", { cli_name: "parrot", message: "hello", cwd: "nowhere" });
  assert.equal(missing.isError, true);
  assert.match(missing.text, /nowhere" does not exist/);
  const { text } = await call("list_tasks");
  assert.equal(text, '{"tasks":[]}');
  const { agents } = (await call("list_agents")).data as { agents: { name: string; installed: boolean }[] };
  assert.deepEqual(agents.find(({ name }) => name === "parrot")?.installed, true);
});

test("settings that are wrong are told with every call, and the client is still spoken to [T3]", async (t) => {
  const machine = await openWorld(t, { agentz: {} });
  const { client, call } = await overStdio(t, machine);
  assert.equal((await client.listTools()).tools.length, 7);
  const answer = await call("list_tasks");
  assert.equal(answer.isError, true);
  assert.match(answer.text, /agentz/);
});

test("--expose offers the catalog's own tools under its rules [P9, G8]", async (t) => {
  const machine = await openWorld(t);
  await writeFile(join(machine.workdir, "a.txt"), "hello\n");
  const { client, call } = await overStdio(t, machine, "--expose");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of ["use_agent", "read", "bash", "grep"]) assert.equal(names.includes(name), true, name);
  assert.match((await call("read", { file_path: "a.txt" })).text, /hello/);
  assert.equal((await call("write", { file_path: "b.txt", content: "x" })).isError, true);
});

test("over HTTP it says where it is and where the token lies, serves whoever has it, and ends on SIGTERM [T1, G6]", async (t) => {
  const machine = await openWorld(t);
  const server = machine.start(["mcp", "--http", "0", "--json"], { stdin: null });
  afterTest(t, async () => {
    server.child.kill("SIGKILL");
    await server.ended;
  });
  const line = await until("it listens", () => /^.*\n/.exec(server.stdout())?.[0], patienceMs).catch(() =>
    assert.fail(server.stderr()),
  );
  const { url, token_file: file } = JSON.parse(line) as { url: string; token_file: string };
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(file.startsWith(machine.env["XDG_STATE_HOME"]!), true);
  const headers = { authorization: `Bearer ${(await readFile(file, "utf8")).trim()}` };
  const { call, client } = await connect(
    t,
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  const { data } = await call("use_agent", { cli_name: "parrot", message: "-n hello" });
  assert.equal(await finish(call, (data as { task_id: string }).task_id), '{"status":"completed","result":"-n hello"}');
  await client.close();
  await assert.rejects(connect(t, new StreamableHTTPClientTransport(new URL(url))));
  server.child.kill("SIGTERM");
  assert.equal((await server.ended).code, 143);
});

test("who closes the pipe ends the server; wrong flags get a sentence and exit code 2 [T3]", async (t) => {
  const machine = await openWorld(t);
  const { code, stdout, stderr } = await machine.run(["mcp"]);
  assert.deepEqual([code, stdout, stderr], [0, "", ""]);
  const port = await machine.run(["mcp", "--http", "eighty"]);
  assert.equal(port.code, 2);
  assert.match(port.stderr, /--http takes a port from 0 \(any that is free\) to 65535; got "eighty"\./);
  const both = await machine.run(["mcp", "--http", "0", "--socket", "x"]);
  assert.deepEqual([both.code, both.stderr], [2, "deckhand: Give --http or --socket, not both.\n"]);
});

test("--inbox: a question of another process is answered by a client; inside a tool call it is refused [L7, G6]", async (t) => {
  const machine = await openWorld(t);
  const question = JSON.stringify({ question: "Which port?" });
  const asking = machine.start(["tool", "ask_user", question, "--inbox"]);
  const { client, call } = await overStdio(t, machine, "--inbox");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names.slice(7), ["list_inbox", "answer_question"]);
  const { id, question: text } = await until(
    "it waits",
    async () => ((await call("list_inbox")).data as { entries: { id: string; question: string }[] }).entries[0],
    patienceMs,
  ).catch(() => assert.fail(asking.stderr()));
  assert.equal(text, "Which port?");
  assert.equal((await call("answer_question", { id, text: "8080" })).isError, false);
  const { code, stdout } = await asking.ended;
  assert.equal(code, 0);
  assert.match(stdout, /User answered: 8080/);
  for (const words of [
    ["mcp", "--inbox"],
    ["serve", "--inbox", "--port", "0"],
  ]) {
    const refused = await machine.run(words, { env: { DECKHAND_EXECUTION: "call_1" } });
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /Not allowed from inside a tool call/);
  }
});
