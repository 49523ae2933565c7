import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { until } from "../support/runtime.ts";
import { openMachine, type Machine } from "./run-deckhand.ts";

const patienceMs = 180_000;
/** The four answers, as they are written. */
const shapes = [
  /^\{"status":"running","elapsed_time":\d+\}$/,
  /^\{"status":"completed","result":"(?:[^"\\]|\\.)*"\}$/s,
  /^\{"status":"failed","error":"(?:[^"\\]|\\.)+"\}$/s,
  /^\{"status":"not_found","error":"Task ID not found or expired\."\}$/,
] as const;

const results = { ok: '{"type":"result","subtype":"success","is_error":false,"result":"done"}', failed: "" };
results.failed = results.ok.replace("false", "true").replace("done", "overloaded");

/** What an agent does with its message in hand, and what becomes of its task. */
const agents: Readonly<Record<string, { script: string; output?: "json_lines"; ends: RegExp }>> = {
  garbage: {
    script: "head -c 300000 /dev/urandom",
    output: "json_lines",
    ends: /^\{"status":"failed","error":"garbage exited without an answer \(exit code 0\)\. End of stdout: /,
  },
  half: {
    script: `printf '{"result":"al'`,
    output: "json_lines",
    ends: /^\{"status":"failed","error":"half exited without an answer \(exit code 0\)\. End of stdout: /,
  },
  flood: {
    script: `head -c ${count({ quick: 32, full: 1024 })}M /dev/zero | tr '\\0' a`,
    ends: /^\{"status":"completed","result":"a+… \[\d+ characters cut\]"\}$/,
  },
  nothing: {
    script: "true",
    ends: /^\{"status":"failed","error":"nothing exited without an answer \(exit code 0\) and printed nothing\."\}$/,
  },
  asks: {
    script: "printf 'Go on? [y/N] '; read -r answer || exit 1; echo yes",
    ends: /It seems to have asked for input, which it can't get here\."\}$/,
  },
  // Known CLIs by their names, started by the settings of a person.
  claude: {
    script: `echo '${results.failed}'; exit 0`,
    ends: /^\{"status":"failed","error":"claude failed: overloaded\."\}$/,
  },
  qwen: { script: `echo '${results.ok}'; exit 1`, ends: /^\{"status":"completed","result":"done"\}$/ },
};

test("whatever an agent prints and however it ends, its status has one of the four shapes [T2] [T8]", async (t) => {
  const { call } = await openServer(t);
  const tasks = new Map<string, string>();
  for (const agent of Object.keys(agents)) {
    const { text } = await call("use_agent", { cli_name: agent, message: "go" });
    tasks.set(agent, (JSON.parse(text) as { task_id: string }).task_id);
  }
  for (const [agent, id] of tasks) {
    const text = await finish(call, id);
    assert.match(text, agents[agent]!.ends, `${agent}: ${text.slice(0, 300)}`);
  }
});

test("a message of 10 MB reaches the agent whole, whatever it begins with [T1]", async (t) => {
  const { call } = await openServer(t);
  const message = `--help\n${"ü".repeat(5 * 1024 * 1024)}`;
  const { text } = await call("use_agent", { cli_name: "counter", message });
  const { task_id: id } = JSON.parse(text) as { task_id: string };
  assert.equal(await finish(call, id), `{"status":"completed","result":"${Buffer.byteLength(message)}"}`);
});

test("tasks that are kept in memory only are told of in the server's log, and end with it [T4]", async (t) => {
  const { call, server } = await openServer(t, { store: { kind: "memory" } });
  const { text } = await call("use_agent", { cli_name: "counter", message: "x" });
  assert.match(await finish(call, (JSON.parse(text) as { task_id: string }).task_id), shapes[1]);
  const told = server.stderr().match(/^deckhand: warning: Tasks are kept in memory only, .*$/gm);
  assert.deepEqual(told, [
    'deckhand: warning: Tasks are kept in memory only, because store.kind is "memory". They end with this process and leave no record.',
  ]);
});

type Call = (name: string, input: object) => Promise<{ text: string }>;

async function finish(call: Call, id: string): Promise<string> {
  for (;;) {
    const { text } = await call("wait_for_task", { task_id: id, timeout: 20 });
    assert.ok(
      shapes.some((shape) => shape.test(text)),
      `no shape: ${text.slice(0, 300)}`,
    );
    if (!shapes[0].test(text)) return text;
  }
}

/** `deckhand mcp` and a client in plain JSON. */
async function openServer(
  t: TestContext,
  settings: object = {},
): Promise<{ call: Call; server: ReturnType<Machine["start"]> }> {
  const machine = await openMachine(t);
  const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  const entries = Object.entries(agents).map(([name, { script, output }]) => {
    const command = ["sh", "-c", `cat >/dev/null; ${script}`];
    return [name, { command, ...(output ? { output } : {}) }];
  });
  const counter = { command: ["sh", "-c", "wc -c | tr -d ' '"] };
  await writeFile(
    join(folder, "deckhand.json"),
    JSON.stringify({ agents: { ...Object.fromEntries(entries), counter }, ...settings }),
  );
  const server = machine.start(["mcp"], { stdin: null });
  afterTest(t, async () => {
    server.child.stdin.end();
    await server.ended;
  });
  let last = 0;
  return {
    server,
    async call(name, input) {
      const id = ++last;
      const request = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input } };
      server.child.stdin.write(`${JSON.stringify(request)}\n`);
      const isAnswer = (line: string): boolean => line.endsWith(`"jsonrpc":"2.0","id":${id}}`);
      const line = await until(`${name} is answered`, () => server.stdout().split("\n").find(isAnswer), patienceMs);
      return (JSON.parse(line) as { result: { content: [{ text: string }] } }).result.content[0];
    },
  };
}
