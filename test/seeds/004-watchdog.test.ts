import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Ended, Started } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { openCommand, parseLines, until, wholeFile, type Command, type Json, type Scope } from "./seed-support.ts";

// Source document 004, section 14: the watchdog.

/** Short delays, so that tests wait for events and not for time. */
const quick = { WATCHDOG_RESTART_BACKOFF_SECONDS: "0.05", WATCHDOG_MAX_BACKOFF_SECONDS: "0.1" };

/** Fails three times, then ends as it should; says where it is each time. */
const turns = `n=$(cat count 2>/dev/null || echo 0)
echo $((n + 1)) > count
echo "AGENT_MODE=$AGENT_MODE in $(pwd)"
[ "$n" -ge 3 ]
`;

let command: Command;
let work: string;
let ended: Ended;
let events: Record<string, Json>[];

before(async () => {
  command = await openCommand(wholeFile);
  work = join(command.workdir, "elsewhere");
  await mkdir(work);
  await writeFile(join(work, "turns.sh"), turns);
  const env = { ...quick, WATCHDOG_WORKDIR: "elsewhere", WATCHDOG_LOG_FILE: "out/dog.log" };
  ended = await command.run(["watchdog", "--json", "--", "sh", "turns.sh"], { env });
  events = parseLines(ended.stdout);
});

const ofType = (type: string): Record<string, Json>[] => events.filter((event) => event["type"] === type);

interface Waiting extends Command {
  readonly dog: Started;
  readonly pidFile: string;
}

/** A watchdog whose child waits. */
async function openWaiting(scope: Scope, env: Readonly<Record<string, string>> = {}): Promise<Waiting> {
  const opened = await openCommand(scope);
  const dog = opened.start(["watchdog", "--json", "--", "sleep", "600"], { env: { ...quick, ...env } });
  afterTest(scope, async () => {
    dog.child.kill("SIGTERM");
    await dog.ended;
  });
  await until("the child runs", () => dog.stdout().includes('"child:started"'));
  return { ...opened, dog, pidFile: join(opened.workdir, env["WATCHDOG_PID_FILE"] ?? ".deckhand/logs/watchdog.pid") };
}

test("4-91 a command that ends with another code than 0 is started again", () => {
  assert.equal(ofType("child:started").length, 4);
});

test("4-92 the delay grows while it keeps crashing", () => {
  const delays = ofType("restart:planned").map(({ delay_ms: delay }) => Number(delay));
  assert.equal(delays.length, 3);
  assert.ok(delays[1]! > delays[0]!, delays.join());
});

test("4-93 after code 0 it is not started again, and the watchdog ends with 0", () => {
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(ofType("child:ended").at(-1)!["exit_code"], 0);
});

test("4-94 a stop file ends it in order; left behind, it is named at the next start", async (t) => {
  const waiting = await openWaiting(t);
  await waiting.put(".deckhand/logs/watchdog.stop", "");
  assert.equal((await waiting.dog.ended).code, 0);
  const next = await waiting.run(["watchdog", "--", "sleep", "600"], { env: quick });
  assert.equal(next.code, 0);
  assert.match(next.stderr, /watchdog\.stop is there; it was left by an earlier stop, so nothing was started/);
});

test("4-95 the stop file is .deckhand/logs/watchdog.stop unless another one is named (differs)", () => {
  assert.equal(ofType("watchdog:started")[0]!["stop_file"], join(work, ".deckhand", "logs", "watchdog.stop"));
});

test("4-96 the pid file holds the bare pid, and the identity is in a file beside it", async (t) => {
  const { dog, pidFile } = await openWaiting(t);
  assert.equal(await readFile(pidFile, "utf8"), `${dog.child.pid}\n`);
  const identity = JSON.parse(await readFile(`${pidFile}.identity`, "utf8"));
  assert.deepEqual(Object.keys(identity).sort(), ["boot_id", "pid", "start_time"]);
  process.kill(Number(await readFile(pidFile, "utf8")), "SIGTERM");
  await dog.ended;
  assert.equal(existsSync(pidFile), false);
});

test("4-97 the child has AGENT_MODE=daemon", async () => {
  assert.match(await command.read("elsewhere/out/dog.log"), /AGENT_MODE=daemon/);
});

test("4-98 WATCHDOG_WORKDIR is where the child runs", async () => {
  assert.ok((await command.read("elsewhere/out/dog.log")).includes(`in ${work}\n`));
});

test("4-99 WATCHDOG_LOG_FILE is where its output goes", async () => {
  assert.match(await command.read("elsewhere/out/dog.log"), /Started as process \d+/);
});

test("4-100 WATCHDOG_STOP_FILE", async (t) => {
  const waiting = await openWaiting(t, { WATCHDOG_STOP_FILE: "halt" });
  await waiting.put("halt", "");
  assert.equal((await waiting.dog.ended).code, 0);
});

test("4-101 WATCHDOG_PID_FILE: a second watchdog with the same one ends with 100", async (t) => {
  const env = { WATCHDOG_PID_FILE: "dog.pid" };
  const waiting = await openWaiting(t, env);
  const second = await waiting.run(["watchdog", "--", "sleep", "600"], { env: { ...quick, ...env } });
  assert.equal(second.code, 100);
  assert.match(second.stderr, new RegExp(`process ${waiting.dog.child.pid}`));
});

test("4-102 WATCHDOG_RESTART_BACKOFF_SECONDS is the first delay, more or less a fifth", () => {
  const first = Number(ofType("restart:planned")[0]!["delay_ms"]);
  assert.ok(first >= 40 && first <= 60, `${first} ms`);
});

test("4-103 WATCHDOG_MAX_BACKOFF_SECONDS is the longest, more or less a fifth", () => {
  for (const { delay_ms: delay } of ofType("restart:planned")) assert.ok(Number(delay) <= 120, `${delay} ms`);
});

test("4-104 after WATCHDOG_MIN_UPTIME_SECONDS of life a crash is a first one again", async (t) => {
  const own = await openCommand(t, { files: { "turns.sh": turns } });
  const env = { ...quick, WATCHDOG_MIN_UPTIME_SECONDS: "0.001" };
  const { stdout } = await own.run(["watchdog", "--json", "--", "sh", "turns.sh"], { env });
  const all = parseLines(stdout).filter(({ type }) => type === "child:ended");
  assert.equal(all.length, 4);
  assert.deepEqual(new Set(all.map(({ counted }) => counted)), new Set([false]));
});

test("4-105 WATCHDOG_MAX_RESTARTS: after so many it gives up with the code of the child", async (t) => {
  const own = await openCommand(t);
  const env = { ...quick, WATCHDOG_MAX_RESTARTS: "2" };
  const { code, stdout } = await own.run(["watchdog", "--json", "--", "sh", "-c", "exit 3"], { env });
  const all = parseLines(stdout);
  assert.deepEqual([code, all.filter(({ type }) => type === "child:started").length], [3, 3]);
  assert.equal(all.at(-1)!["type"], "watchdog:failed");
  assert.equal((await own.run(["watchdog", "--", "true"], { env: { WATCHDOG_MAX_RESTARTS: "abc" } })).code, 2);
});

/** The pid of the daemon once it answers; another one than `before`. */
async function daemonPid(opened: Command, before?: number): Promise<number> {
  return until("the daemon answers", async () => {
    const { code, stdout } = await opened.run(["serve", "status", "--json"]);
    const pid = code === 0 ? Number(JSON.parse(stdout).pid) : 0;
    return pid > 0 && pid !== before && pid;
  });
}

test("4-106 it watches the daemon: one that is killed is back", async (t) => {
  const own = await openCommand(t);
  const dog = own.start(["serve", "--watchdog", "--port", "0"], { env: quick });
  afterTest(t, async () => {
    dog.child.kill("SIGTERM");
    await dog.ended;
  });
  const first = await daemonPid(own);
  process.kill(first, "SIGKILL");
  assert.notEqual(await daemonPid(own, first), first);
});

test("4-107 AGENT_MODE=daemon is the daemon, which runs jobs until it is stopped", async (t) => {
  const own = await openCommand(t);
  await own.run([
    "schedule",
    "add",
    "tick",
    "--every",
    "1s",
    "--tool",
    "write",
    "--input",
    '{"file_path":"ticked","content":"x"}',
  ]);
  const daemon = own.start([], { env: { AGENT_MODE: "daemon" } });
  afterTest(t, async () => {
    daemon.child.kill("SIGTERM");
    await daemon.ended;
  });
  await until("the job ran", () => existsSync(join(own.workdir, "ticked")));
  assert.equal((await own.run(["serve", "stop"])).code, 0);
  assert.equal((await daemon.ended).code, 0);
});
