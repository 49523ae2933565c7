import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { count } from "../support/counts.ts";
import { fixture, isRunning, openWatchdogs } from "./start-watchdog.ts";

test("exit code 0 is the end, and the watchdog's own [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("exits.sh"), "0"]);
  const { code, stderr } = await dog.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(
    dog.events().map(({ type }) => type),
    ["watchdog:started", "child:started", "child:ended", "watchdog:stopped"],
  );
  assert.match(readFileSync(join(dogs.logs, "watchdog.log"), "utf8"), /\nending with 0\n/);
  assert.deepEqual([dogs.status()["state"], dogs.status()["child"]], ["stopped", null]);
});

test("exit code 78 is not tried again, and is the watchdog's own [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("exits.sh"), "78"]);
  assert.equal((await dog.ended).code, 78);
  const last = dog.events().at(-1)!;
  assert.equal(last.type, "watchdog:failed");
  assert.match(String(last["reason"]), /configuration is wrong \(exit code 78\)/);
  assert.equal(dog.events().filter(({ type }) => type === "child:started").length, 1);
  assert.equal(dogs.crashes().length, 1);
});

test("exit code 75 starts it again at once and does not count; other codes do, with delays that grow [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const count = join(dogs.machine.workdir, "count");
  const dog = dogs.start(["sh", fixture("exits-in-turn.sh"), count, "75", "75", "3", "4", "75", "0"]);
  assert.equal((await dog.ended).code, 0);
  const ends = dog.events().filter(({ type }) => type === "child:ended");
  assert.deepEqual(
    ends.map((end) => [end["exit_code"], end["counted"]]),
    [
      [75, false],
      [75, false],
      [3, true],
      [4, true],
      [75, false],
      [0, false],
    ],
  );
  const plans = dog.events().filter(({ type }) => type === "restart:planned");
  const delays = plans.map((plan) => Number(plan["delay_ms"]));
  assert.ok(delays[2]! >= 40 && delays[2]! <= 60, delays.join(" "));
  assert.ok(delays[3]! >= 80 && delays[3]! <= 120, delays.join(" "));
  assert.deepEqual(
    dogs.crashes().map((crash) => [crash["exit_code"], crash["cause"], crash["counted"]]),
    [
      [3, "exit", true],
      [4, "exit", true],
    ],
  );
});

test("a healthy child that is killed after the least uptime is back at once, each time, and that does not count [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const kills = count({ quick: 4, full: 200 });
  const env = { WATCHDOG_MIN_UPTIME_SECONDS: "0.01", DECKHAND_WATCHDOG_HEARTBEAT: "required" };
  const dog = dogs.start(["node", fixture("beats.ts")], env);
  for (let kill = 1; kill <= kills; kill++) {
    const { pid } = await dog.event("child:healthy", kill);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
    process.kill(Number(pid), "SIGKILL");
  }
  await dog.event("child:healthy", kills + 1);
  const ends = dog.events().filter(({ type }) => type === "child:ended");
  assert.deepEqual(
    ends.map((end) => [end["signal"], end["counted"]]),
    Array.from({ length: kills }, () => ["SIGKILL", false]),
  );
  const started = dog.events().filter(({ type }) => type === "child:started");
  assert.equal(started.filter(({ pid }) => isRunning(Number(pid))).length, 1);
  assert.deepEqual([dogs.status()["restarts"], dogs.crashes().length], [kills, Math.min(kills, 50)]);
});

test("a child in a crash loop gets one try in safe mode; where restarts have a limit the watchdog gives up then, with its code [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const env = { DECKHAND_WATCHDOG_UNHEALTHY_EXITS: "4", WATCHDOG_MAX_RESTARTS: "20" };
  const dog = dogs.start(["sh", fixture("exits.sh"), "7"], env);
  assert.equal((await dog.ended).code, 7);
  const starts = dog.events().filter(({ type }) => type === "child:started");
  assert.deepEqual(
    starts.map((start) => start["safe_mode"]),
    [false, false, false, false, true],
  );
  assert.equal(dog.events().at(-1)!.type, "watchdog:failed");
  assert.equal(dogs.status()["state"], "failed");
  const crashes = dogs.crashes();
  assert.deepEqual([crashes.length, crashes.at(-1)!["safe_mode"]], [5, true]);
  assert.deepEqual(crashes[0]!.last_lines, ["ending with 7"]);
});

test("without a limit it goes on after safe mode failed, too, until what was wrong has passed [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const turns = join(dogs.machine.workdir, "count");
  const env = { DECKHAND_WATCHDOG_UNHEALTHY_EXITS: "2", WATCHDOG_MAX_RESTARTS: "0" };
  const dog = dogs.start(["sh", fixture("exits-in-turn.sh"), turns, "7", "7", "7", "7", "7", "7", "0"], env);
  assert.equal((await dog.ended).code, 0);
  const starts = dog.events().filter(({ type }) => type === "child:started");
  assert.deepEqual(
    starts.map((start) => start["safe_mode"]),
    [false, false, true, false, false, true, false],
  );
  const plans = dog.events().filter(({ type }) => type === "restart:planned");
  assert.deepEqual(
    [plans[1], plans[2]].map((plan) => plan!["reason"]),
    ["it ended with exit code 7; 2 unhealthy ends", "in safe mode, too, it ended with exit code 7"],
  );
});

test("exit code 75 leads out of safe mode [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const count = join(dogs.machine.workdir, "count");
  const env = { DECKHAND_WATCHDOG_UNHEALTHY_EXITS: "2" };
  const dog = dogs.start(["sh", fixture("exits-in-turn.sh"), count, "5", "5", "75", "0"], env);
  assert.equal((await dog.ended).code, 0);
  const starts = dog.events().filter(({ type }) => type === "child:started");
  assert.deepEqual(
    starts.map((start) => start["safe_mode"]),
    [false, false, true, false],
  );
});

test("after WATCHDOG_MAX_RESTARTS restarts without a stable run it gives up [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("exits.sh"), "6"], { WATCHDOG_MAX_RESTARTS: "2" });
  assert.equal((await dog.ended).code, 6);
  assert.equal(dog.events().filter(({ type }) => type === "child:started").length, 3);
  assert.match(String(dog.events().at(-1)!["reason"]), /after 2 restarts without a stable run/);
});

test("a command that does not exist is said once, with 127 [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["no-such-program-here"]);
  assert.equal((await dog.ended).code, 127);
  const told = dog.events().map(({ type, message }) => [type, message]);
  assert.match(JSON.stringify(told), /\\"no-such-program-here\\" could not be started: the program, or the folder/);
});
