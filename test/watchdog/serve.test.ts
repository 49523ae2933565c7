import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serveArguments } from "../../src/cli/commands/watchdog/watchdog-command.ts";
import { serveCommands } from "../../src/cli/commands/serve/serve-commands.ts";
import { deckhand } from "../cli/run-deckhand.ts";
import { stopSoon } from "../daemon/support/stop.ts";
import { openDaemonMachine, stateFolder, type DaemonMachine, type DaemonOptions } from "../e2e/daemon-machine.ts";
import { until } from "../support/runtime.ts";
import { fixture, isRunning } from "./start-watchdog.ts";

const quick = { WATCHDOG_RESTART_BACKOFF_SECONDS: "0.05", WATCHDOG_MAX_BACKOFF_SECONDS: "0.2" };
const open = (t: Parameters<typeof openDaemonMachine>[0], options: DaemonOptions = {}) =>
  openDaemonMachine(t, { program: deckhand, ...options, env: { ...quick, ...options.env } });

function readLog({ workdir }: DaemonMachine): string {
  return readFileSync(join(workdir, ".deckhand", "logs", "watchdog.log"), "utf8");
}

function readLastCrash(machine: DaemonMachine): Record<string, unknown> {
  const folder = join(stateFolder(machine), "watchdog", "crashes");
  return JSON.parse(readFileSync(join(folder, readdirSync(folder).sort().at(-1)!), "utf8")) as Record<string, unknown>;
}

test("`serve --watchdog` starts a killed daemon again, tells of it, and one Ctrl-C ends both [D2 D3]", async (t) => {
  const machine = await open(t, { env: { WATCHDOG_MIN_UPTIME_SECONDS: "0.01" } });
  const first = await machine.ready();
  assert.equal((await machine.ask("/api/status"))?.body.watchdog, true);
  process.kill(first, "SIGKILL");
  const second = await machine.ready(first);
  const status = (await machine.json(["serve", "status"])) as { pid: number; watchdog_status: Record<string, unknown> };
  const { state, pid, restarts, crashes, child_pid: child, last_crash: crash } = status.watchdog_status;
  assert.deepEqual(
    [status.pid, state, pid, restarts, crashes, child],
    [second, "running", machine.dog.pid, 1, 1, second],
  );
  assert.deepEqual([(crash as { signal: string }).signal, (crash as { pid: number }).pid], ["SIGKILL", first]);
  const told = await machine.run(["serve", "status"]);
  assert.match(told.stdout, new RegExp(`The watchdog \\(process ${machine.dog.pid}\\) watches process ${second}\\.`));
  assert.match(told.stdout, /\nRestarts: 1\.\nLast crash: .+: it ended with SIGKILL\.\n/);

  machine.dog.child.kill("SIGINT");
  const { code, stderr } = await machine.dog.ended;
  assert.equal(code, 130, stderr);
  assert.match(
    stderr,
    /ended with exit code 143 after .+, as it was told\.\n.*Stopped with exit code 130: SIGINT came\./,
  );
  assert.equal(isRunning(second), false);
});

test("`serve stop` ends a watched daemon in order, and the watchdog with it [D2 D3]", async (t) => {
  const machine = await open(t);
  const daemon = await machine.ready();
  const stop = await machine.run(["serve", "stop"]);
  assert.equal(stop.code, 0, stop.stderr);
  assert.equal((await machine.dog.ended).code, 0);
  assert.equal(isRunning(daemon), false);
});

test("`serve restart` ends a watched daemon with 75, and waits until the watchdog's next one is ready [D2 D3]", async (t) => {
  const machine = await open(t);
  const first = await machine.ready();
  const { code, stdout, stderr } = await machine.run(["serve", "restart", "--json"]);
  assert.equal(code, 0, stderr);
  const second = await machine.ready();
  assert.deepEqual(JSON.parse(stdout), { restarted: true, url: machine.url, pid: second });
  assert.notEqual(second, first);
  assert.equal(isRunning(first), false);
  assert.match(machine.dog.stderr(), new RegExp(`Process ${first} ended with exit code 75 `));
  const { crashes, restarts } = (await machine.json(["watchdog", "status"])) as Record<string, unknown>;
  assert.deepEqual([crashes, restarts], [0, 1]);
});

test("a second `serve --watchdog` in one workdir ends with 100, and the first goes on [D3]", async (t) => {
  const machine = await open(t);
  const daemon = await machine.ready();
  const { code, stderr } = await machine.run(["serve", "--watchdog", "--port", "0"]);
  assert.equal(code, 100);
  assert.match(stderr, new RegExp(`^deckhand: A watchdog runs here already: process ${machine.dog.pid}, says .+\\n$`));
  assert.equal(await machine.ready(), daemon);
});

test("a daemon whose configuration is wrong ends with 78, says what is wrong, and is not started again [D3]", async (t) => {
  const machine = await open(t, {
    prepare: ({ workdir }) => writeFileSync(join(workdir, "deckhand.json"), '{"limitz": {}}'),
  });
  const { code, stderr } = await machine.dog.ended;
  assert.equal(code, 78);
  assert.match(stderr, /Given up: the command says that its configuration is wrong \(exit code 78\)/);
  const log = readLog(machine);
  assert.match(log, /\ndeckhand: .*limitz.*did you mean.*limits/i);
  assert.equal(log.match(/Started as process/g)?.length, 1);
});

test("wrong use is told before there is a watchdog [D3]", async (t) => {
  const sentences = {
    "--port=wrong": 'deckhand: --port takes a port from 0 (any that is free) to 65535; got "wrong".\n',
    "--open":
      "deckhand: --open does not go with --watchdog, whose daemon may start many times: leave it out, then `deckhand serve open`.\n",
  };
  for (const [word, sentence] of Object.entries(sentences)) {
    const machine = await open(t, { args: [word] });
    const { code, stderr } = await machine.dog.ended;
    assert.deepEqual([code, stderr], [2, sentence]);
    assert.equal(existsSync(join(machine.workdir, ".deckhand")), false);
  }
});

test("with the stop file there no daemon is started [D3]", async (t) => {
  const machine = await open(t, {
    prepare({ workdir }) {
      writeFileSync(join(workdir, "halt"), "");
    },
    env: { WATCHDOG_STOP_FILE: "halt" },
  });
  const { code, stderr } = await machine.dog.ended;
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /Started as process/);
});

test("a daemon whose event loop stands still is ended with its stack on record, and another one serves [D3]", async (t) => {
  const machine = await open(t, {
    env: { NODE_OPTIONS: `--require=${fixture("spins-at-signal.cjs")}`, DECKHAND_WATCHDOG_HANG_SECONDS: "6" },
  });
  const first = await machine.ready();
  // It has beaten by then.
  await until("a healthy daemon", () => machine.dog.stderr().includes(`Process ${first} is healthy`), 30_000);
  process.kill(first, "SIGUSR2");
  const second = await machine.ready(first);
  assert.notEqual(second, first);
  const { pid, cause, hang, last_lines: lines } = readLastCrash(machine);
  assert.deepEqual([pid, cause], [first, "hang"]);
  assert.match(String(hang), /^It kept a processor busy/);
  assert.match((lines as string[]).join("\n"), /spinForEver .*spins-at-signal\.cjs/);
});

test("`serve stop` of a watched daemon whose event loop stands still ends both, and none comes again [D2 D3]", async (t) => {
  const env = {
    NODE_OPTIONS: `--require=${fixture("spins-at-signal.cjs")}`,
    DECKHAND_WATCHDOG_HANG_SECONDS: "600",
    DECKHAND_WATCHDOG_STOP_SECONDS: "1",
  };
  const machine = await open(t, { env });
  const daemon = await machine.ready();
  process.kill(daemon, "SIGUSR2");
  await until("it spins", () => readLog(machine).includes("It spins."), 60_000);
  const { code, told } = await stopSoon(machine, { answerMs: 100, silentMs: 60_000 });
  assert.equal(code, 0, told);
  assert.match(
    (await machine.dog.ended).stderr,
    /ended with SIGKILL after .+, as it was told\.\n.*Stopped with exit code/,
  );
  assert.equal(isRunning(daemon), false);
});

test("what `serve` is told is handed on to the daemon, but for what only a person at a terminal wants [D3]", () => {
  const [serve] = serveCommands;
  const given = new Map(
    Object.entries(serve!.options).map(([name, { value }]) => [name, value === undefined ? "" : "x"]),
  );
  given.set("store", "postgres://there");
  const invocation = {
    positionals: [],
    has: (name: string) => given.has(name),
    value: (name: string) => given.get(name),
    values: (name: string) => (given.has(name) ? [given.get(name)!] : []),
  };
  const names = serveArguments(invocation).map((word) => /^--([a-z-]+)/.exec(word)![1]!);
  const kept = new Set(["watchdog", "open", "json", "workdir", "help"]);
  assert.deepEqual(names.sort(), [...given.keys()].filter((name) => !kept.has(name)).sort());
  assert.ok(serveArguments(invocation).includes(`--socket=${join(process.cwd(), "x")}`));
});
