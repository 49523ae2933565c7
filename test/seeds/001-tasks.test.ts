import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { built } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { openCommand, until, wholeFile, type Command, type Json, type Scope } from "./seed-support.ts";

// Source document 001: background agents over MCP, by a client that knows nothing but tools/call.

interface Answer {
  readonly text: string;
  readonly data: Json;
  readonly isError: boolean;
}

interface Connection {
  readonly client: Client;
  readonly stderr: () => string;
  readonly pid: number;
  call(name: string, input?: Record<string, unknown>): Promise<Answer>;
  /** The id of a new task. */
  begin(agent: string, more?: Record<string, unknown>): Promise<string>;
  status(id: string): Promise<Json>;
  /** Polls until the task is no longer running. */
  finish(id: string): Promise<Json>;
}

const agents = {
  echoer: { command: ["cat"], output: "text" },
  prompted: { command: ["sh", "-c", 'printf "%s" "$1"', "sh", "{system_prompt}"], output: "text" },
  listing: { command: ["sh", "-c", 'printf "%s " "$@"', "sh"], output: "text", accepts_args: true },
  strict: { command: ["cat"], output: "text" },
  bad: { command: ["sh", "-c", "echo oops >&2; exit 3"], output: "text" },
  patient: { command: ["sh", "-c", "until [ -e go ]; do sleep 0.05; done; echo finished"], output: "text" },
  endless: { command: ["sleep", "309"], output: "text" },
};

let machine: Command;
let server: Connection;

before(async () => {
  machine = await openCommand(wholeFile, { settings: { agents } });
  server = await connect(wholeFile, machine);
});

async function connect(scope: Scope, command: Command, env: Record<string, string> = {}): Promise<Connection> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...built, "mcp", "--workdir", command.workdir],
    env: { ...command.env, ...env },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: "seed", version: "0" }, { capabilities: {} });
  const patience = { timeout: 60_000 };
  await client.connect(transport, patience);
  afterTest(scope, () => client.close());
  const call: Connection["call"] = async (name, input = {}) => {
    const answer = await client.callTool({ name, arguments: input }, patience);
    const text = answer.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
    return { text, data: answer.structuredContent, isError: answer.isError === true };
  };
  const status: Connection["status"] = async (id) => JSON.parse((await call("get_task_status", { task_id: id })).text);
  return {
    client,
    call,
    status,
    stderr: () => stderr,
    pid: transport.pid!,
    async begin(agent, more = {}) {
      const { data, text } = await call("use_agent", { cli_name: agent, message: "hello there", ...more });
      assert.equal(typeof data?.task_id, "string", text);
      return data.task_id;
    },
    finish: (id) =>
      until("the task ends", async () => {
        const now = await status(id);
        return now.status !== "running" && now;
      }),
  };
}

describe("use_agent", () => {
  test("1-1 returns while the agent still works", async () => {
    const id = await server.begin("endless");
    assert.equal((await server.status(id)).status, "running");
    await server.call("cancel_task", { task_id: id });
  });

  test("1-2 returns exactly the task's id, as text and as structured content", async () => {
    const { text, data } = await server.call("use_agent", { cli_name: "echoer", message: "1-2" });
    assert.deepEqual(JSON.parse(text), data);
    assert.deepEqual(Object.keys(data), ["task_id"]);
    assert.match(data.task_id, /^task_[0-9a-f-]{36}$/);
  });

  test("1-3 refuses an unknown cli_name with the names there are, and makes no task", async () => {
    const { isError, text, data } = await server.call("use_agent", { cli_name: "nosuch", message: "x" });
    assert.deepEqual([isError, data], [true, undefined]);
    for (const name of ["echoer", "deckhand"]) assert.ok(text.includes(name), text);
  });

  test("1-4 hands the message to the agent", async () => {
    const id = await server.begin("echoer", { message: "first line\n-n second" });
    assert.deepEqual(await server.finish(id), { status: "completed", result: "first line\n-n second" });
  });

  test("1-5 hands the system prompt to the agent", async () => {
    const id = await server.begin("prompted", { system_prompt: "BE NICE" });
    assert.equal((await server.finish(id)).result, "BE NICE");
  });

  test("1-6 hands arguments to an agent that accepts them, and to no other", async () => {
    const id = await server.begin("listing", { args: ["--x", "1"] });
    assert.match((await server.finish(id)).result, /^--x 1/);
    assert.equal((await server.call("use_agent", { cli_name: "strict", message: "x", args: ["--x"] })).isError, true);
  });

  test("1-7 takes a time limit in seconds, and not zero", async () => {
    const id = await server.begin("endless", { timeout: 1 });
    const { status, error } = await server.finish(id);
    assert.equal(status, "failed");
    assert.match(error, /time limit of 1 s/);
    assert.equal((await server.call("use_agent", { cli_name: "echoer", message: "x", timeout: 0 })).isError, true);
  });
});

describe("get_task_status", () => {
  test("1-8 takes a task_id, which is required", async () => {
    const { tools } = await server.client.listTools();
    const schema = tools.find(({ name }) => name === "get_task_status")!.inputSchema;
    assert.deepEqual([schema.required, Object.keys(schema.properties ?? {})], [["task_id"], ["task_id"]]);
    const { isError, text } = await server.call("get_task_status");
    assert.equal(isError, true);
    assert.match(text, /task_id is missing\./);
  });

  test("1-9 says running and for how many seconds", async () => {
    const id = await server.begin("endless");
    const { text } = await server.call("get_task_status", { task_id: id });
    assert.match(text, /^\{"status":"running","elapsed_time":\d+\}$/);
    await server.call("cancel_task", { task_id: id });
  });

  test("1-10 says completed and the result", async () => {
    assert.deepEqual(await server.finish(await server.begin("echoer")), { status: "completed", result: "hello there" });
  });

  test("1-11 says failed and why", async () => {
    const { status, error, ...rest } = await server.finish(await server.begin("bad"));
    assert.deepEqual([status, rest], ["failed", {}]);
    assert.match(error, /exit code 3[\s\S]*oops/);
  });

  test("1-12 says not_found in the words of the source", async () => {
    assert.deepEqual(await server.status("task_01a1e5ae-0000-7000-8000-000000000000"), {
      status: "not_found",
      error: "Task ID not found or expired.",
    });
  });

  test("1-13 is asked again until the end; wait_for_task waits instead", async (t) => {
    const own = await openCommand(t, { settings: { agents } });
    const connection = await connect(t, own);
    const id = await connection.begin("patient");
    assert.equal((await connection.status(id)).status, "running");
    await writeFile(join(own.workdir, "go"), "");
    assert.deepEqual(await connection.finish(id), { status: "completed", result: "finished" });
    const { text } = await connection.call("wait_for_task", { task_id: id, timeout: 45 });
    assert.deepEqual(JSON.parse(text), { status: "completed", result: "finished" });
  });

  test("1-14 works for a client without any capability: it is asked nothing", async () => {
    // The client of this file declares none, so a request of the server to it would be an error.
    assert.equal((await server.finish(await server.begin("echoer"))).status, "completed");
  });
});

describe("where tasks are kept", () => {
  const memory = { DECKHAND_STORE_KIND: "memory" };

  test("1-15 can be exchanged: memory gives the same answers as SQLite", async (t) => {
    const connection = await connect(t, await openCommand(t, { settings: { agents } }), memory);
    assert.deepEqual(await connection.finish(await connection.begin("echoer")), {
      status: "completed",
      result: "hello there",
    });
    assert.equal((await connection.status("task_x")).status, "not_found");
  });

  test("1-16 in memory they are gone with the process", async (t) => {
    const own = await openCommand(t, { settings: { agents } });
    const first = await connect(t, own, memory);
    const id = await first.begin("echoer");
    await first.finish(id);
    await first.client.close();
    assert.equal((await (await connect(t, own, memory)).status(id)).status, "not_found");
  });

  test("1-17 a finished task is forgotten after its time, which is not at once by default", async (t) => {
    const kept = await server.begin("echoer");
    const settings = { agents, retention: { tasks_minutes: 0.01 } };
    const connection = await connect(t, await openCommand(t, { settings }));
    const id = await connection.begin("echoer");
    await until("it is forgotten", async () => (await connection.status(id)).status === "not_found");
    assert.equal((await server.finish(kept)).status, "completed");
  });

  test("1-18 the limits of memory are said at the start", async (t) => {
    const own = await openCommand(t, { settings: { agents } });
    const connection = await connect(t, own, memory);
    await connection.finish(await connection.begin("echoer"));
    assert.match(connection.stderr(), /kept in memory only/);
  });

  test("1-19 by default they are in a SQLite file of the folder, and survive the server", async (t) => {
    const own = await openCommand(t, { settings: { agents } });
    const first = await connect(t, own);
    const id = await first.begin("echoer");
    await first.finish(id);
    await first.client.close();
    assert.equal((await own.read(".deckhand/deckhand.db")).startsWith("SQLite format 3"), true);
    assert.deepEqual(await (await connect(t, own)).status(id), { status: "completed", result: "hello there" });
  });

  test("1-20 the store is chosen by one setting at the start", async (t) => {
    const own = await openCommand(t, { settings: { agents, store: { kind: "memory" } } });
    const connection = await connect(t, own);
    await connection.finish(await connection.begin("echoer"));
    assert.match(connection.stderr(), /kept in memory only/);
  });
});

test("1-21 (differs) a task outlives a server that was killed, and the next server has its true result", async (t) => {
  const own = await openCommand(t, { settings: { agents } });
  const first = await connect(t, own);
  const id = await first.begin("patient");
  process.kill(first.pid, "SIGKILL");
  const second = await connect(t, own);
  assert.equal((await second.status(id)).status, "running");
  await writeFile(join(own.workdir, "go"), "");
  assert.deepEqual(await second.finish(id), { status: "completed", result: "finished" });
});

test("1-22 a task whose process was killed is failed, and says so", async (t) => {
  const seconds = `3${process.pid}`;
  const killed = { command: ["sh", "-c", `kill -9 $$; sleep ${seconds}`], output: "text" };
  const connection = await connect(t, await openCommand(t, { settings: { agents: { killed } } }));
  const { status, error } = await connection.finish(await connection.begin("killed"));
  assert.equal(status, "failed");
  assert.match(error, /killed by SIGKILL/);
});
