import assert from "node:assert/strict";
import { test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { fixture, isRunning, openWatchdogs } from "./start-watchdog.ts";

const long = { WATCHDOG_RESTART_BACKOFF_SECONDS: "600", WATCHDOG_MAX_BACKOFF_SECONDS: "600" };

test("`watchdog status` tells what is watched, the restarts and the last crash; 1 where none runs [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const run = (args: readonly string[]) => dogs.machine.run(args);
  const none = await run(["watchdog", "status"]);
  assert.deepEqual([none.code, none.stdout], [1, "No watchdog has run here.\n"]);

  const dog = dogs.start(["sh", fixture("exits.sh"), "9"], long);
  await dog.event("restart:planned");
  const waiting = await run(["watchdog", "status"]);
  assert.equal(waiting.code, 0);
  const [state, restarts, crash] = waiting.stdout.split("\n");
  assert.match(
    state!,
    new RegExp(
      `^The watchdog \\(process ${dog.pid}\\) starts it again in \\d+ min( \\d+ s)?: it ended with exit code 9\\.$`,
    ),
  );
  assert.equal(restarts, "Restarts: 0.");
  assert.match(crash!, /^Last crash: (just now|\d+ s ago), after .+: it ended with exit code 9\.$/);

  const view = JSON.parse((await run(["watchdog", "status", "--json"])).stdout) as Record<string, unknown>;
  const { last_crash: last, next_start_at: next, ...rest } = view;
  assert.deepEqual(rest, {
    state: "waiting",
    pid: dog.pid,
    child_pid: null,
    restarts: 0,
    safe_mode: false,
    reason: "it ended with exit code 9",
    crashes: 1,
  });
  assert.match(String(next), /^\d{4}-.+Z$/);
  const { exit_code: code, cause, counted } = last as Record<string, unknown>;
  assert.deepEqual([code, cause, counted], [9, "exit", true]);

  dog.child.kill("SIGKILL");
  await dog.ended;
  const dead = await run(["watchdog", "status"]);
  assert.deepEqual(
    [dead.code, dead.stdout.split("\n")[0]],
    [1, "The watchdog was killed, and does not run; neither does what it watched."],
  );
});

test("after a kill of the watchdog its status says whether what it watched goes on [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("waits.sh")]);
  const pid = Number((await dog.event("child:started"))["pid"]);
  afterTest(t, async () => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
  dog.child.kill("SIGKILL");
  await dog.ended;
  const status = async (): Promise<[string | undefined, unknown]> => {
    const { stdout } = await dogs.machine.run(["watchdog", "status"]);
    const json = await dogs.machine.run(["watchdog", "status", "--json"]);
    return [stdout.split("\n")[0], (JSON.parse(json.stdout) as Record<string, unknown>)["child_pid"]];
  };
  assert.deepEqual(await status(), [
    `The watchdog was killed, and does not run; what it watched, process ${pid}, goes on, and the next watchdog ends it.`,
    pid,
  ]);
  process.kill(pid, "SIGTERM");
  await until("it has ended", () => !isRunning(pid));
  assert.deepEqual(await status(), ["The watchdog was killed, and does not run; neither does what it watched.", null]);
});

test("the doctor has a row about a watchdog that gave up, waits after a crash, or whose child runs in safe mode, and none where none ran [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const ask = async () => {
    const { stdout } = await dogs.machine.run(["doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; what: string; fix: string }[] };
    return checks.find(({ name }) => name === "watchdog");
  };
  assert.equal(await ask(), undefined);
  const safe = { DECKHAND_WATCHDOG_UNHEALTHY_EXITS: "1" };
  const dog = dogs.start(["sh", fixture("waits-in-safe-mode.sh")], safe);
  await dog.event("child:started", 2);
  const row = await ask();
  assert.equal(row?.state, "warning");
  assert.match(
    row.what,
    /^The watchdog \(process \d+\) watches process \d+\. Restarts: 1, in safe mode\. Last crash: .+$/,
  );
  dog.child.kill("SIGTERM");
  await dog.ended;
  assert.equal(await ask(), undefined);
  const waiting = dogs.start(["sh", fixture("exits.sh"), "9"], long);
  await waiting.event("restart:planned");
  const crashed = await ask();
  assert.equal(crashed?.state, "warning");
  assert.match(crashed.what, /^The watchdog \(process \d+\) starts it again in .+: it ended with exit code 9\./);
  waiting.child.kill("SIGTERM");
  await waiting.ended;
  assert.equal((await dogs.start(["sh", fixture("exits.sh"), "78"]).ended).code, 78);
  const failed = await ask();
  assert.equal(failed?.state, "problem");
  assert.match(
    failed.what,
    /^The watchdog gave up: the command says that its configuration is wrong \(exit code 78\)\./,
  );
});

test("`watchdog stop` ends the watchdog and its child, and waits for that [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const run = (args: readonly string[]) => dogs.machine.run(args);
  const dog = dogs.start(["sh", fixture("waits.sh")]);
  const { pid } = await dog.event("child:started");
  const { code, stderr } = await run(["watchdog", "stop"]);
  assert.deepEqual([code, stderr], [0, `The watchdog (process ${dog.pid}) and what it watched have ended.\n`]);
  assert.deepEqual([isRunning(Number(pid)), isRunning(dog.pid)], [false, false]);
  const again = await run(["watchdog", "stop", "--json"]);
  assert.deepEqual([again.code, JSON.parse(again.stdout)], [0, { result: "none" }]);
  const status = await run(["watchdog", "status"]);
  assert.equal(status.stdout, "The watchdog does not run; it was stopped: SIGTERM came.\nRestarts: 0.\n");
});

test("Ctrl-C ends a child in order, and the code says which signal it was [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    const dog = dogs.start(["node", fixture("beats.ts"), "143"]);
    await dog.event("child:healthy");
    dog.child.kill(signal);
    assert.equal((await dog.ended).code, code);
    const end = await dog.event("child:ended");
    assert.deepEqual([end["cause"], end["exit_code"]], ["stopped", 143]);
  }
});
