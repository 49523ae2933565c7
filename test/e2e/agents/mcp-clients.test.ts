import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ScriptTurn } from "../../../packages/testing/src/script.ts";
import { serveScript } from "../../../packages/testing/src/serve-script.ts";
import { follow, openMachine, deckhand, type Ended, type Machine } from "../../cli/run-deckhand.ts";
import { afterTest } from "../../support/after-test.ts";
import { lane } from "../../support/require.ts";
import { writeHome } from "../../tasks/adapters/drive-agent.ts";
import { until } from "../../tasks/support/until.ts";
import { loopbackOf } from "./loopback.ts";
import { programOf, whyNoAgent } from "./pins.ts";

const cache = process.env["DECKHAND_AGENTS_CACHE"];
const order = { cli_name: "parrot", message: "the parrot was here", idempotency_key: "once" };

interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface ClientSetup {
  /** What its model has to call one of our tools. */
  readonly toolName: (tool: string) => string;
  readonly args: (server: ServerEntry) => readonly string[];
  /** Written into its home folder beside what leads to the model. */
  readonly changeFiles?: (files: Record<string, unknown>, server: ServerEntry) => void;
}

const prompt = "Let the parrot say something.";
const clients = {
  claude: {
    toolName: (tool) => `mcp__deckhand__${tool}`,
    args: (server) => [
      "-p",
      prompt,
      "--model=fake-model",
      "--output-format=text",
      "--strict-mcp-config",
      `--mcp-config=${JSON.stringify({ mcpServers: { deckhand: server } })}`,
      "--allowedTools=mcp__deckhand__use_agent,mcp__deckhand__get_task_status,mcp__deckhand__wait_for_task",
    ],
  },
  codex: {
    toolName: (tool) => `mcp__deckhand.${tool}`,
    args: ({ command, args, env }) => [
      "exec",
      "--skip-git-repo-check",
      `--config=mcp_servers.deckhand.command=${JSON.stringify(command)}`,
      `--config=mcp_servers.deckhand.args=${JSON.stringify(args)}`,
      `--config=mcp_servers.deckhand.env={${Object.entries(env)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(",")}}`,
      // It would go on without a server that takes its time.
      "--config=mcp_servers.deckhand.required=true",
      "--config=mcp_servers.deckhand.startup_timeout_sec=120",
      "--model=fake-model",
      prompt,
    ],
  },
  gemini: {
    toolName: (tool) => `mcp_deckhand_${tool}`,
    args: () => ["-p", prompt, "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    changeFiles(files, server) {
      const settings = files[".gemini/settings.json"] as Record<string, unknown>;
      files[".gemini/settings.json"] = { ...settings, mcpServers: { deckhand: { ...server, trust: true } } };
    },
  },
  qwen: {
    toolName: (tool) => `mcp__deckhand__${tool}`,
    args: (server) => [
      prompt,
      "--yolo",
      "--auth-type=openai",
      "--model=fake-model",
      `--mcp-config=${JSON.stringify({ mcpServers: { deckhand: server } })}`,
    ],
  },
  opencode: {
    toolName: (tool) => `deckhand_${tool}`,
    args: () => ["run", "--auto", "-m", "fake/fake-model", prompt],
    changeFiles(files, { command, args, env }) {
      const settings = files[".config/opencode/opencode.json"] as Record<string, unknown>;
      const deckhand = { type: "local", command: [command, ...args], environment: env, enabled: true };
      files[".config/opencode/opencode.json"] = { ...settings, mcp: { deckhand } };
    },
  },
} as const satisfies Record<string, ClientSetup>;

for (const [agent, setup] of Object.entries(clients) as [keyof typeof clients, ClientSetup][]) {
  const needs = lane("agents", whyNoAgent(cache, agent));
  test(`${agent} hands a job over to our server, sees it run, and gets its result [T1, T2, T3]`, needs, async (t) => {
    const { machine, server, go } = await openPlace(t);
    const id = await startTask(t, server);
    const calls = callsOf(setup);
    const model = await serveScript({
      turns: [
        calls("use_agent", order),
        calls("get_task_status", { task_id: id }),
        calls("wait_for_task", { task_id: id, timeout: 45 }),
        "It said: {{last_result}}",
      ],
      withoutTools: "A title",
    });
    afterTest(t, () => model.close());
    let hasEnded = false;
    const client = runClient(t, { agent, setup, machine, server, url: model.url }).finally(() => (hasEnded = true));
    const sawRunning = (): boolean =>
      model.requests.some(({ messages }) => /"status[\\"]+:\s*[\\"]+running/.test(JSON.stringify(messages)));
    await until(() => hasEnded || sawRunning(), "the client sees the task run");
    await go();
    const { stdout, stderr } = await client;
    assert.ok(sawRunning(), stderr.slice(-2000));
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(told, new RegExp(id), stderr.slice(-2000));
    assert.match(
      stdout,
      /It said: [^]*"status":\s*"completed",\s*"result":\s*"the parrot was here"/,
      stderr.slice(-2000),
    );
  });
}

test(
  "a task that claude starts goes on when claude has ended [T1, T3, T6]",
  lane("agents", whyNoAgent(cache, "claude")),
  async (t) => {
    const { machine, server, go } = await openPlace(t);
    const setup = clients.claude;
    const turns = [callsOf(setup)("use_agent", order), "Started."];
    const model = await serveScript({ turns, withoutTools: "A title" });
    afterTest(t, () => model.close());
    const { code, stdout, stderr } = await runClient(t, { agent: "claude", setup, machine, server, url: model.url });
    assert.deepEqual([code, stdout.trim()], [0, "Started."], stderr.slice(-2000));
    const { call } = await connect(t, server);
    const { tasks } = (await call("list_tasks", {})) as { tasks: { task_id: string; state: string }[] };
    assert.deepEqual(
      tasks.map(({ state }) => state),
      ["running"],
    );
    await go();
    const ended = await call("wait_for_task", { task_id: tasks[0]?.task_id, timeout: 45 });
    assert.deepEqual(ended, { status: "completed", result: "the parrot was here" });
  },
);

function callsOf({ toolName }: ClientSetup): (tool: string, input: object) => ScriptTurn {
  return (tool, input) => ({ calls: [{ tool: toolName(tool), input }] });
}

interface Place {
  readonly machine: Machine;
  readonly server: ServerEntry;
  /** The parrot speaks only then. */
  readonly go: () => Promise<void>;
}

async function openPlace(t: TestContext): Promise<Place> {
  const machine = await openMachine(t);
  const { env, workdir } = machine;
  const folder = join(env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const wait = `message=$(cat); while [ ! -e go ]; do sleep 0.05; done; echo "$message"`;
  const agents = { parrot: { command: ["sh", "-c", wait], output: "text" } };
  await writeFile(join(folder, "deckhand.json"), JSON.stringify({ agents }));
  const go = (): Promise<void> => writeFile(join(workdir, "go"), "");
  // Whatever became of the test, no parrot is left waiting.
  afterTest(t, go);
  return { machine, go, server: { command: process.execPath, args: [...deckhand, "mcp", "--workdir", workdir], env } };
}

/** A script can't know the id of a task that is still to come; by the key the client's order is this same task. */
async function startTask(t: TestContext, server: ServerEntry): Promise<string> {
  const { call, hangUp } = await connect(t, server);
  const { task_id: id } = (await call("use_agent", order)) as { task_id: string };
  await hangUp();
  return id;
}

interface Connection {
  readonly call: (name: string, input: Record<string, unknown>) => Promise<unknown>;
  readonly hangUp: () => Promise<void>;
}

/** A server of its own, and a client that calls its tools. */
async function connect(t: TestContext, { command, args, env }: ServerEntry): Promise<Connection> {
  const client = new Client({ name: "test", version: "0" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command, args: [...args], env }), { timeout: 60_000 });
  afterTest(t, () => client.close());
  return {
    call: async (name, input) =>
      (await client.callTool({ name, arguments: input }, { timeout: 60_000 })).structuredContent,
    hangUp: () => client.close(),
  };
}

interface Run {
  readonly agent: keyof typeof clients;
  readonly setup: ClientSetup;
  readonly machine: Machine;
  readonly server: ServerEntry;
  readonly url: string;
}

async function runClient(t: TestContext, { agent, setup, machine, server, url }: Run): Promise<Ended> {
  const { workdir } = machine;
  const home = join(dirname(workdir), `home-of-${agent}`);
  const loopback = loopbackOf(agent, { url, cwd: workdir });
  const files = { ...loopback.files };
  setup.changeFiles?.(files, server);
  await writeHome(home, files);
  const env = { HOME: home, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, LANG: "C.UTF-8" };
  const child = spawn(programOf(cache!, agent), [...setup.args(server)], {
    cwd: workdir,
    env: { ...env, ...loopback.env },
    detached: true,
  });
  afterTest(t, () => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // The group is gone, as it should be.
    }
    return Promise.resolve();
  });
  return follow(child, undefined).ended;
}
