import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { ask } from "./support/daemon.ts";
import { serve, stateFolderOf } from "./support/serve.ts";

test("status, open, logs and tokens of a daemon that runs, and of none [D2, G6]", async (t) => {
  const machine = await openMachine(t);
  for (const command of ["status", "stop", "restart", "open"]) {
    const { code, stderr } = await machine.run(["serve", command]);
    assert.equal(code, 1, command);
    assert.equal(stderr, `No daemon runs for ${machine.workdir}. Start one: deckhand serve\n`);
  }
  const { port, pid, url, token } = await serve(t, machine);
  const status = await machine.run(["serve", "status"]);
  assert.equal(status.code, 0);
  assert.match(status.stdout, new RegExp(`^Runs at ${url}, process ${pid}, for .*; version `));
  const opened = await machine.run(["serve", "open"]);
  assert.equal(opened.code, 0);
  const [, code] = new RegExp(`^${url}/#code=(\\S+)\n$`).exec(opened.stdout) ?? [];
  const login = await ask(port, "", { path: "/api/login", body: { code }, headers: { authorization: "" } });
  assert.equal(login.status, 200);
  assert.equal((await ask(port, token, { path: "/api/nothing" })).status, 404);
  const logs = await machine.run(["serve", "logs", "--json", "--lines", "2"]);
  const lines = logs.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ text }) => text),
    [`Started at ${url}, version 0.1.0.`, "Ready."],
  );
  assert.equal(statSync(join(machine.workdir, ".deckhand/logs/daemon.log")).mode & 0o777, 0o600);
  const added = await machine.run(["serve", "token", "add", "robot", "--rights", "read,run", "--json"]);
  const robot = JSON.parse(added.stdout) as Record<string, unknown>;
  const asked = await ask(port, String(robot["token"]), {});
  assert.deepEqual(asked.json()["rights"], ["read", "run"]);
  const listed = await machine.run(["serve", "token", "--json"]);
  assert.deepEqual(
    (JSON.parse(listed.stdout) as object[]).map((each) => Object.keys(each)),
    [["name", "rights", "created_at"]],
  );
  assert.equal((await machine.run(["serve", "token", "remove", "robot"])).code, 0);
  assert.equal((await ask(port, String(robot["token"]), {})).status, 401);
});

test("`serve restart` without a watchdog says how, and the daemon goes on [D2]", async (t) => {
  const machine = await openMachine(t);
  const { ask: asked, pid } = await serve(t, machine);
  const { code, stderr } = await machine.run(["serve", "restart"]);
  const sentence =
    "deckhand: No watchdog is there to start this daemon again: stop it with `deckhand serve stop` and start it as before; a service: `systemctl --user restart deckhand-NAME`.\n";
  assert.deepEqual([code, stderr], [1, sentence]);
  const { status, json } = await asked({ path: "/api/restart", body: {} });
  const message = "No watchdog is there to start this daemon again.";
  assert.deepEqual([status, json()], [409, { error: { code: "NOT_WATCHED", message } }]);
  assert.equal((await asked()).json()["pid"], pid);
});

test("wrong words for tokens are one sentence, and an agent can't give itself one, nor log itself in [G6]", async (t) => {
  const machine = await openMachine(t);
  for (const args of [
    ["add"],
    ["add", "x"],
    ["add", "x", "--rights", "red"],
    ["ad", "x"],
    ["add", "owner", "--rights", "read"],
  ]) {
    const { code, stderr } = await machine.run(["serve", "token", ...args]);
    assert.equal(code, 2, args.join(" "));
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
  const inside = { env: { DECKHAND_EXECUTION: "call_1" } };
  const { code } = await machine.run(["serve", "token", "add", "x", "--rights", "approve"], inside);
  assert.equal(code, 3);
  assert.equal((await machine.run(["serve", "open"], inside)).code, 3);
  assert.equal(
    existsSync(machine.env["XDG_STATE_HOME"]!) && existsSync(join(stateFolderOf(machine), "daemon-tokens.json")),
    false,
  );
});

test("logs --follow shows what comes, and Ctrl-C ends it [D2]", async (t) => {
  const machine = await openMachine(t);
  const serving = await serve(t, machine);
  const following = machine.start(["serve", "logs", "--follow", "--lines", "1"]);
  afterTest(t, async () => {
    following.child.kill("SIGKILL");
    await following.ended;
  });
  await until("it shows", () => following.stdout().includes("Ready."), 60_000);
  serving.child.kill("SIGTERM");
  await until("it goes on", () => following.stdout().includes("Stopped."), 60_000);
  following.child.kill("SIGINT");
  assert.equal((await following.ended).code, 130);
});

test("logs go on in the file before this one when that has too few lines [D2]", async (t) => {
  const machine = await openMachine(t);
  const folder = join(machine.workdir, ".deckhand", "logs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "daemon.log.1"), "a 1 one\na 1 two\n");
  const logs = async (lines: string): Promise<string> =>
    (await machine.run(["serve", "logs", "--lines", lines])).stdout;
  assert.equal(await logs("1"), "a 1 two\n");
  writeFileSync(join(folder, "daemon.log"), "a 1 three\na 1 four\n");
  assert.equal(await logs("2"), "a 1 three\na 1 four\n");
  assert.equal(await logs("3"), "a 1 two\na 1 three\na 1 four\n");
  assert.equal(await logs("9"), "a 1 one\na 1 two\na 1 three\na 1 four\n");
  assert.equal(await logs("0"), "");
});

test("install writes a unit of systemd that is ours, twice the same, and never over another's file [D2]", async (t) => {
  const machine = await openMachine(t);
  const path = join(machine.env["XDG_CONFIG_HOME"]!, "systemd/user/deckhand-work.service");
  const printed = await machine.run(["serve", "install", "--print", "--port", "7500"]);
  assert.equal(existsSync(path), false);
  const [node, script] = /^ExecStart="(\/[^"]+)" "(\/[^"]+deckhand\.js)"/m.exec(printed.stdout)!.slice(1);
  assert.equal(
    printed.stdout.replace(/^Environment=.*\n/gm, ""),
    `# Made by \`deckhand serve install\` for ${machine.workdir}

[Unit]
Description=Deckhand daemon for ${machine.workdir}

[Service]
WorkingDirectory=${machine.workdir}
ExecStart="${node}" "${script}" "serve" "--workdir" "${machine.workdir}" "--port=7500"
Restart=on-failure
RestartPreventExitStatus=2 78
RestartSec=1
KillMode=process
SuccessExitStatus=143
TimeoutStopSec=60

[Install]
WantedBy=default.target
`,
  );
  const first = await machine.run(["serve", "install"]);
  assert.match(first.stdout, /was written[^]*systemctl --user enable --now deckhand-work\.service/);
  const text = readFileSync(path, "utf8");
  assert.match((await machine.run(["serve", "install"])).stdout, /is as it should be/);
  assert.equal(readFileSync(path, "utf8"), text);
  assert.equal((await machine.run(["serve", "uninstall"])).code, 0);
  assert.equal(existsSync(path), false);
  assert.equal((await machine.run(["serve", "uninstall"])).code, 1);
  writeFileSync(path, "[Service]\nExecStart=/bin/true\n");
  for (const command of ["install", "uninstall"]) {
    const { code, stderr } = await machine.run(["serve", command]);
    assert.equal(code, 2);
    assert.match(stderr, /is there and was not made for/);
  }
  assert.match(readFileSync(path, "utf8"), /bin\/true/);
  assert.equal((await machine.run(["serve", "install", "--name", "other"])).code, 0);
  assert.equal((await machine.run(["serve", "install", "--name", "../x"])).code, 2);
});

test("install hands what `serve` takes on to it, and refuses what that would refuse [D2, D3]", async (t) => {
  const machine = await openMachine(t);
  const printed = async (args: readonly string[], cwd = machine.workdir): Promise<string> => {
    const { stdout } = await machine.run(["serve", "install", "--print", "--workdir", machine.workdir, ...args], {
      cwd,
    });
    return /^ExecStart=.* "serve" (.*)$/m.exec(stdout)![1]!;
  };
  const workdir = `"--workdir" "${machine.workdir}"`;
  assert.equal(await printed(["--watchdog"]), `"--watchdog" ${workdir}`);
  assert.equal(await printed(["--watchdog", "--port", "0"]), `"--watchdog" ${workdir} "--port=0"`);
  const elsewhere = join(machine.workdir, "..");
  assert.equal(await printed(["--socket", "a.sock"], elsewhere), `${workdir} "--socket=${join(elsewhere, "a.sock")}"`);
  const shared = ["--store", "postgres://deckhand@db/deckhand", "--expose", "--inbox"];
  assert.equal(await printed(shared), `${workdir} "--store=postgres://deckhand@db/deckhand" "--expose" "--inbox"`);
  for (const wrong of [
    ["--port", "70000"],
    ["--port", "1", "--socket", "a.sock"],
  ]) {
    const { code, stdout, stderr } = await machine.run(["serve", "install", "--print", ...wrong]);
    assert.deepEqual([code, stdout, stderr.trim().split("\n").length], [2, "", 1], stderr);
  }
});

test("install writes no password of a store into the unit: it says where that goes [D2]", async (t) => {
  const machine = await openMachine(t);
  for (const address of ["postgres://kim:pw1@db/deckhand", "postgres://kim@db/deckhand?password=pw1"]) {
    const { code, stdout, stderr } = await machine.run(["serve", "install", "--store", address]);
    const sentence =
      "deckhand: The --store URL has a password, which would stand in the unit and be seen in the list of processes: leave --store out, and set DECKHAND_STORE_URL in an EnvironmentFile= of yours (systemctl --user edit).\n";
    assert.deepEqual([code, stdout, stderr], [2, "", sentence]);
  }
  assert.equal(existsSync(join(machine.env["XDG_CONFIG_HOME"]!, "systemd")), false);
});

test("systemd starts a daemon again after a crash, and a watchdog only when it was killed: what it gave up stays given up [D3]", async (t) => {
  const machine = await openMachine(t);
  const restarts = async (...args: readonly string[]): Promise<string[]> => {
    const { stdout } = await machine.run(["serve", "install", "--print", ...args]);
    return stdout.split("\n").filter((line) => line.startsWith("Restart"));
  };
  assert.deepEqual(await restarts(), ["Restart=on-failure", "RestartPreventExitStatus=2 78", "RestartSec=1"]);
  assert.deepEqual(await restarts("--watchdog"), ["Restart=on-abnormal", "RestartSec=1"]);
});

test("a workdir with spaces, quotes and percent signs stays one word in the unit [D2]", async (t) => {
  const machine = await openMachine(t);
  const workdir = join(machine.workdir, 'a "b" 100% $HOME');
  mkdirSync(workdir);
  const { stdout } = await machine.run(["serve", "install", "--print", "--workdir", workdir]);
  const escaped = `${machine.workdir}/a \\"b\\" 100%% $$HOME`;
  assert.ok(stdout.includes(`"--workdir" "${escaped}"\n`), stdout);
  assert.ok(stdout.includes(`WorkingDirectory=${machine.workdir}/a "b" 100%% $HOME\n`), stdout);
  for (const wrong of ["ends in a space ", "ends in a backslash\\"]) {
    mkdirSync(join(machine.workdir, wrong));
    const { code, stderr } = await machine.run(["serve", "install", "--workdir", join(machine.workdir, wrong)]);
    assert.equal(code, 2);
    assert.match(stderr, /can't name a folder that ends in white space or a backslash/);
  }
});
