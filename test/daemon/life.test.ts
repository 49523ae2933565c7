import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { listTasks, openTasksMachine, waitsForGo } from "../cli/tasks-machine.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { ask } from "./support/daemon.ts";
import { followEvents } from "./support/event-client.ts";
import { serve, startServe, stateFolderOf } from "./support/serve.ts";

test("serve answers, tells where it is in a private file, and serve stop ends it with 0 and nothing left [D2]", async (t) => {
  const machine = await openMachine(t);
  const serving = await serve(t, machine);
  assert.deepEqual((await serving.ask({ path: "/healthz" })).json(), { status: "ok" });
  assert.deepEqual((await serving.ask({ path: "/readyz" })).json(), { status: "ready" });
  const status = (await serving.ask()).json();
  assert.deepEqual(
    [status["pid"], status["url"], status["workdir"], status["ready"], status["safe_mode"], status["watchdog"]],
    [serving.pid, serving.url, machine.workdir, true, false, false],
  );
  const file = join(stateFolderOf(machine), "daemon.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const facts = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  assert.deepEqual([facts["url"], Object(facts["process"]).pid], [serving.url, serving.pid]);
  const stopped = await machine.run(["serve", "stop", "--json"]);
  assert.deepEqual(JSON.parse(stopped.stdout), { stopped: true, running: false, pid: serving.pid });
  assert.deepEqual([stopped.code, (await serving.ended).code], [0, 0]);
  assert.equal(existsSync(file), false);
  assert.equal(existsSync(join(stateFolderOf(machine), "daemon.lock")), false);
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(`${signal} ends the streams and the daemon with ${code} [D2]`, async (t) => {
    const machine = await openMachine(t);
    const { child, ended, port, token } = await serve(t, machine);
    const stream = await followEvents(t, { port, headers: { authorization: `Bearer ${token}` } });
    child.kill(signal);
    await stream.closed;
    assert.equal(stream.response.complete, true);
    assert.equal((await ended).code, code);
    assert.equal(existsSync(join(stateFolderOf(machine), "daemon.json")), false);
  });
}

test("a second daemon for the same workdir says in one sentence where the first is, and ends with 1 [D2]", async (t) => {
  const machine = await openMachine(t);
  const first = await serve(t, machine);
  const second = await startServe(t, machine, ["--port", "0"]).ended;
  assert.deepEqual([second.code, second.stdout], [1, ""]);
  assert.equal(
    second.stderr,
    `deckhand: A daemon runs for this workdir already: process ${first.pid}, at ${first.url}. See \`deckhand serve status\`; \`deckhand serve stop\` stops it.\n`,
  );
  assert.equal((await first.ask()).status, 200);
});

test("a daemon that was killed leaves a lock that the next one takes; so does one whose pid is another's by now [D2]", async (t) => {
  const machine = await openMachine(t);
  const first = await serve(t, machine);
  first.child.kill("SIGKILL");
  await first.ended;
  const lock = join(stateFolderOf(machine), "daemon.lock");
  assert.equal(existsSync(lock), true);
  assert.equal((await machine.run(["serve", "status"])).code, 1);
  const other = spawn("sleep", ["600"], { stdio: "ignore" });
  afterTest(t, () => Promise.resolve(other.kill("SIGKILL")));
  // The pid of a process that runs, which is not the daemon: it was started at another time.
  const stale = JSON.parse(readFileSync(lock, "utf8")) as Record<string, unknown>;
  writeFileSync(lock, `${JSON.stringify({ ...stale, pid: other.pid })}\n`);
  const facts = join(stateFolderOf(machine), "daemon.json");
  const told = JSON.parse(readFileSync(facts, "utf8")) as Record<string, unknown>;
  writeFileSync(facts, JSON.stringify({ ...told, process: { ...Object(told["process"]), pid: other.pid } }));
  const status = JSON.parse((await machine.run(["serve", "status", "--json"])).stdout) as Record<string, unknown>;
  assert.deepEqual([status["running"], status["workdir"]], [false, machine.workdir]);
  const second = await serve(t, machine);
  assert.equal((await second.ask()).status, 200);
  assert.equal(other.exitCode, null);
});

test("a port that is taken is one sentence and 1; where none was named another one is used [D2]", async (t) => {
  const machine = await openMachine(t);
  const server = createServer().listen(0, "127.0.0.1");
  afterTest(t, () => new Promise((resolve) => server.close(resolve)));
  await until("it listens", () => server.listening);
  const { port } = server.address() as AddressInfo;
  const refused = await startServe(t, machine, ["--port", String(port)]).ended;
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  const sentence = `deckhand: The daemon can't be served on port ${port} of 127.0.0.1: another program listens there; name another one.\n`;
  assert.equal(refused.stderr, sentence);
  const usual = createServer().listen(7433, "127.0.0.1");
  // Somebody else may have it already: that is as good.
  usual.on("error", () => undefined);
  afterTest(t, () => new Promise((resolve) => usual.close(resolve)));
  const serving = await serve(t, machine, []);
  assert.notEqual(serving.port, 7433);
  assert.match(serving.stderr(), /port 7433 is taken; another one is used/);
});

test("wrong use is one sentence and 2, a wrong configuration one and 78: it is not worth starting again [D2]", async (t) => {
  const machine = await openMachine(t);
  for (const args of [
    ["--port", "70000"],
    ["--port", "x"],
    ["--port", "1", "--socket", "/tmp/x"],
    ["--prot", "1"],
  ]) {
    const { code, stderr } = await startServe(t, machine, args).ended;
    assert.equal(code, 2, stderr);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
  writeFileSync(join(machine.workdir, "deckhand.json"), '{"permisions": {}}');
  const { code, stderr } = await startServe(t, machine, ["--port", "0"]).ended;
  assert.deepEqual([code, stderr.includes("permissions")], [78, true]);
  assert.equal(existsSync(join(stateFolderOf(machine), "daemon.lock")), false);
});

test(
  "a workdir that can't have a folder is one sentence and 1, at once [D2]",
  { skip: !existsSync("/proc/self") },
  async (t) => {
    const machine = await openMachine(t);
    const { code, stderr } = await startServe(t, machine, ["--port", "0", "--workdir", "/proc"]).ended;
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^deckhand: The store \/proc\/\.deckhand\/deckhand\.db can't be used: .*\n$/);
  },
);

test("AGENT_MODE=daemon makes deckhand alone the daemon [D2]", async (t) => {
  const machine = await openMachine(t);
  const usual = createServer().listen(7433, "127.0.0.1");
  usual.on("error", () => undefined);
  afterTest(t, () => new Promise((resolve) => usual.close(resolve)));
  const alone = machine.start(["--json"], { env: { AGENT_MODE: "daemon" } });
  const { child, ended } = alone;
  afterTest(t, async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const line = await until("it is ready", () => alone.stdout().includes("\n") && alone.stdout(), 60_000);
  assert.equal((JSON.parse(line) as Record<string, unknown>)["type"], "ready");
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
});

test("another AGENT_MODE is told and changes nothing; DECKHAND_AGENT_MODE wins [D2]", async (t) => {
  const machine = await openMachine(t);
  const bogus = await machine.run(["--json"], { env: { AGENT_MODE: "bogus" } });
  assert.equal(bogus.code, 0);
  assert.match(
    bogus.stderr,
    /^deckhand: AGENT_MODE is "bogus", which changes nothing: "daemon" makes this the daemon,/m,
  );
  const chat = await machine.run(["--json"], { env: { AGENT_MODE: "daemon", DECKHAND_AGENT_MODE: "chat" } });
  assert.deepEqual([chat.code, chat.stderr], [0, ""]);
  assert.ok(Array.isArray((JSON.parse(chat.stdout) as { tools: unknown }).tools));
});

test("stopping cancels a running call with proof and leaves a background agent, whose true result the next daemon has [D2, T6]", async (t) => {
  const machine = await openTasksMachine(t);
  const first = await serve(t, machine);
  const started = await first.ask({ path: "/api/tasks", body: { agent: "shell", message: waitsForGo } });
  assert.equal(started.status < 300, true, started.body);
  const task = started.json();
  const call = first.ask({ path: "/api/tools/bash/call", body: { input: { command: "sleep 600" } } }).catch(() => null);
  await until(
    "both run",
    async () => {
      const calls = (await first.ask({ path: "/api/calls?state=running" })).json()["items"] as unknown[];
      const now = (await first.ask({ path: `/api/tasks/${String(task["id"])}` })).json();
      return calls.length === 1 && now["state"] === "running";
    },
    60_000,
  );
  const stopped = await machine.run(["serve", "stop"]);
  assert.deepEqual([stopped.code, (await first.ended).code], [0, 0]);
  await call;
  const calls = JSON.parse((await machine.run(["calls", "list", "--json"])).stdout) as Record<string, unknown>[];
  const ended = calls.find(({ tool_name: name }) => name === "bash")!;
  assert.deepEqual([ended["state"], ended["survivors"]], ["cancelled", []]);
  assert.notEqual(ended["stop_proof"], "none");
  const second = await serve(t, machine);
  const running = await second.ask({ path: `/api/tasks/${String(task["id"])}` });
  assert.equal(running.json()["state"], "running");
  writeFileSync(join(machine.workdir, "go"), "");
  await until("its result", async () => (await listTasks(machine))[0]!.state === "completed", 60_000);
  assert.match((await listTasks(machine))[0]!.result!, /one\ntwo/);
});

test("a question that a tool asks waits in the inbox, and its answer gets there [D2, L7]", async (t) => {
  const machine = await openMachine(t);
  const { port, token } = await serve(t, machine);
  const call = ask(port, token, { path: "/api/tools/ask_user/call", body: { input: { question: "Which colour?" } } });
  const entry = await until(
    "it waits",
    async () => {
      const { json } = await ask(port, token, { path: "/api/inbox?state=waiting" });
      return (json()["items"] as Record<string, unknown>[])[0];
    },
    60_000,
  );
  const answer = await ask(port, token, {
    path: `/api/inbox/${String(entry["id"])}/answer`,
    body: { answer: { text: "blue" } },
  });
  assert.equal(answer.status, 200, answer.body);
  assert.match((await call).body, /blue/);
});

test("tool files are looked at before it is ready [D2]", async (t) => {
  const machine = await openMachine(t);
  mkdirSync(join(machine.workdir, "tools"));
  await machine.run(["tools", "new", "word_count"]);
  await machine.run(["trust", "--yes"]);
  const { ask: asked } = await serve(t, machine);
  const { json } = await asked({ path: "/api/tools" });
  const names = (json()["items"] as Record<string, unknown>[]).map(({ name }) => name);
  assert.ok(names.includes("word_count"), names.join());
});
