import assert from "node:assert/strict";
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";

test("what the watchdog does is told in sentences on stderr, and stdout stays empty [D3]", async (t) => {
  const machine = await openMachine(t);
  const { code, stdout, stderr } = await machine.run(["watchdog", "--", "sh", "-c", "exit 78"]);
  assert.deepEqual([code, stdout], [78, ""]);
  const [watching, started, ended, given] = stderr.split("\n");
  assert.match(
    watching!,
    /^deckhand: Watching sh; its output goes to .+watchdog\.log, and the file .+watchdog\.stop stops it\.$/,
  );
  assert.match(started!, /^deckhand: Started as process \d+ \(start 1\)\.$/);
  assert.match(ended!, /^deckhand: Process \d+ ended with exit code 78 after \d+\.\d s\.$/);
  assert.equal(
    given,
    "deckhand: Given up: the command says that its configuration is wrong (exit code 78). Look at the log, then start it again.",
  );
});

test("WATCHDOG_WORKDIR is where the child runs and where the files go [D3]", async (t) => {
  const machine = await openMachine(t);
  const folder = join(machine.workdir, "other");
  mkdirSync(folder);
  const env = { WATCHDOG_WORKDIR: "other", DECKHAND_WORKDIR: machine.workdir };
  const { code } = await machine.run(
    ["watchdog", "--", "sh", "-c", 'test "$PWD" = "$1" && test -d .deckhand/logs', "sh", realpathSync(folder)],
    { env },
  );
  assert.equal(code, 0);
});

test("wrong use is one sentence and exit code 2, and nothing is started [D3]", async (t) => {
  const machine = await openMachine(t);
  const cases: [string[], Record<string, string>, RegExp][] = [
    [["--heartbeat", "maybe"], {}, /^deckhand: --heartbeat takes auto, required, off; got "maybe"\.\n$/],
    [
      [],
      { WATCHDOG_MAX_RESTARTS: "-3" },
      /^deckhand: WATCHDOG_MAX_RESTARTS is to be a whole number from 0 to 1000000000; got "-3"\.\n$/,
    ],
    [["--workdir", "nowhere"], {}, /^deckhand: The workdir nowhere does not exist; name a folder that exists\.\n$/],
    [[], { WATCHDOG_LOG_FILE: "/dev/null/log" }, /^deckhand: The log file \/dev\/null\/log can't be written: .+\n$/],
  ];
  for (const [options, env, sentence] of cases) {
    const { code, stderr } = await machine.run(["watchdog", ...options, "--", "touch", "started"], { env });
    assert.match(stderr, sentence);
    assert.equal(code, 2);
  }
  assert.equal(existsSync(join(machine.workdir, "started")), false);
});

test("a silence that every daemon has now and then is no hang: that is one sentence and 2 [D3]", async (t) => {
  const machine = await openMachine(t);
  for (const args of [["serve", "--watchdog"], ["watchdog"]]) {
    const { code, stdout, stderr } = await machine.run(args, { env: { WATCHDOG_HANG_SECONDS: "0.9" } });
    const sentence = `deckhand: WATCHDOG_HANG_SECONDS is to be 1 or more for the daemon, which pauses now and then; got "0.9".\n`;
    assert.deepEqual([code, stdout, stderr], [2, "", sentence]);
  }
});

test("what WATCHDOG_HEARTBEAT says counts for the daemon as well [D3]", async (t) => {
  const machine = await openMachine(t);
  const ask = (env: Record<string, string>): ReturnType<typeof machine.run> =>
    machine.run(["serve", "--watchdog"], { env: { WATCHDOG_HANG_SECONDS: "0.5", ...env } });
  assert.match((await ask({ WATCHDOG_HEARTBEAT: "maybe" })).stderr, /is to be one of auto, required, off; got "maybe"/);
  // Where no beat is looked at, no silence is too short: it is the stop file that keeps it from starting.
  mkdirSync(join(machine.workdir, "stop"));
  const off = await ask({ WATCHDOG_HEARTBEAT: "off", WATCHDOG_STOP_FILE: "stop" });
  assert.equal(off.code, 0, off.stderr);
});

test("a folder that can't be written is one sentence and exit code 2; with places elsewhere it can be watched [D3]", async (t) => {
  const machine = await openMachine(t);
  const home = join(machine.workdir, "..");
  const isRoot = process.getuid?.() === 0;
  // Nothing is closed to root.
  const as = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  if (isRoot) chownSync(home, 65_534, 65_534);
  chmodSync(machine.workdir, 0o555);
  for (const args of [
    ["watchdog", "--", "true"],
    ["serve", "--watchdog"],
  ]) {
    const { code, stdout, stderr } = await machine.run(args, as);
    const data = join(machine.workdir, ".deckhand");
    const sentence = `deckhand: The watchdog can't keep its files in ${data} (EACCES): make ${machine.workdir} writable, or name other places with WATCHDOG_LOG_FILE, WATCHDOG_STOP_FILE and WATCHDOG_PID_FILE.\n`;
    assert.deepEqual([code, stdout, stderr], [2, "", sentence]);
  }
  const names = ["LOG_FILE", "STOP_FILE", "PID_FILE"];
  const env = Object.fromEntries(names.map((name) => [`WATCHDOG_${name}`, join(home, name)]));
  const elsewhere = await machine.run(["watchdog", "--", "true"], { ...as, env });
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
  chmodSync(machine.workdir, 0o755);
});
