import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { fixture, isRunning, openWatchdogs } from "./start-watchdog.ts";

test("SIGTERM is handed on, and the child's code is the watchdog's [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("waits.sh"), "21"]);
  const log = join(dogs.logs, "watchdog.log");
  await until(
    "the child is ready",
    () => dog.stdout().includes("child:started") && readFileSync(log, "utf8").includes("\nready\n"),
  );
  dog.child.kill("SIGTERM");
  assert.equal((await dog.ended).code, 21);
  assert.match(readFileSync(log, "utf8"), /\ntold to end\n/);
  assert.equal(dog.events().at(-1)!["reason"], "SIGTERM came");
  assert.deepEqual(dogs.status()["state"], "stopped");
});

test("Ctrl-\\ stops both in order as well, and leaves no child behind [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("waits.sh"), "21"]);
  const { pid } = await dog.event("child:started");
  await until("the child is ready", () => readFileSync(join(dogs.logs, "watchdog.log"), "utf8").includes("\nready\n"));
  dog.child.kill("SIGQUIT");
  assert.equal((await dog.ended).code, 21);
  assert.equal(isRunning(Number(pid)), false);
  assert.equal(dog.events().at(-1)!["reason"], "SIGQUIT came");
});

test("SIGUSR2 is the command's: it gets it, and both go on; without a command it is nobody's [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("waits.sh"), "21"]);
  const log = (): string => readFileSync(join(dogs.logs, "watchdog.log"), "utf8");
  await dog.event("child:started");
  await until("the child is ready", () => log().includes("\nready\n"));
  dog.child.kill("SIGUSR2");
  await until("the child has it", () => log().includes("\nanother signal\n"));
  dog.child.kill("SIGTERM");
  assert.equal((await dog.ended).code, 21);

  const waiting = dogs.start(["sh", "-c", "exit 3"], {
    WATCHDOG_RESTART_BACKOFF_SECONDS: "600",
    WATCHDOG_MAX_BACKOFF_SECONDS: "600",
  });
  await waiting.event("restart:planned");
  waiting.child.kill("SIGUSR2");
  waiting.child.kill("SIGTERM");
  assert.equal((await waiting.ended).code, 143);
});

test("a signal that nobody means for it ends no watchdog, and one of the system that does ends both in order [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  for (const [signal, code] of [
    ["SIGXCPU", 152],
    ["SIGPWR", 158],
  ] as const) {
    const dog = dogs.start(["sh", fixture("waits.sh"), "143"]);
    const pid = Number((await dog.event("child:started"))["pid"]);
    // What a watchdog leaves that was killed after all.
    afterTest(t, async () => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
    for (const other of ["SIGALRM", "SIGVTALRM", "SIGPROF", "SIGPIPE", "SIGIO", "SIGXFSZ", "SIGUSR1"] as const) {
      dog.child.kill(other);
    }
    await until("the child is ready", () => readFileSync(join(dogs.logs, "watchdog.log"), "utf8").endsWith("ready\n"));
    dog.child.kill(signal);
    assert.equal((await dog.ended).code, code);
    assert.deepEqual([dog.events().at(-1)!["reason"], isRunning(pid)], [`${signal} came`, false]);
  }
});

test("the second signal kills a child that does not take the first [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("ignores-term.sh")], { DECKHAND_WATCHDOG_STOP_SECONDS: "600" });
  const { pid } = await dog.event("child:started");
  await until("the child is ready", () => readFileSync(join(dogs.logs, "watchdog.log"), "utf8").includes("\nready\n"));
  dog.child.kill("SIGINT");
  await dog.event("watchdog:stopping");
  assert.equal(isRunning(Number(pid)), true);
  dog.child.kill("SIGINT");
  assert.equal((await dog.ended).code, 137);
  assert.equal(isRunning(Number(pid)), false);
});

test("a child that ignores SIGTERM is killed when its time is over [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("ignores-term.sh")], { DECKHAND_WATCHDOG_STOP_SECONDS: "0.3" });
  await dog.event("child:started");
  await until("the child is ready", () => readFileSync(join(dogs.logs, "watchdog.log"), "utf8").includes("\nready\n"));
  dog.child.kill("SIGTERM");
  assert.equal((await dog.ended).code, 137);
});

test("the stop file ends a running child, and the watchdog with 0 [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("waits.sh"), "21"]);
  const { pid } = await dog.event("child:started");
  writeFileSync(join(dogs.logs, "watchdog.stop"), "");
  assert.equal((await dog.ended).code, 0);
  assert.equal(isRunning(Number(pid)), false);
  assert.match(
    String(dog.events().at(-1)!["reason"]),
    /^the stop file .+watchdog\.stop is there; remove it to start again$/,
  );
});

test("the stop file ends a long delay before the next start [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const long = { WATCHDOG_RESTART_BACKOFF_SECONDS: "600", WATCHDOG_MAX_BACKOFF_SECONDS: "600" };
  const stopFile = join(dogs.machine.workdir, "halt");
  const dog = dogs.start(["sh", fixture("exits.sh"), "5"], { ...long, WATCHDOG_STOP_FILE: "halt" });
  await dog.event("restart:planned");
  assert.equal(dogs.status()["state"], "waiting");
  writeFileSync(stopFile, "");
  assert.equal((await dog.ended).code, 0);
  assert.equal(dog.events().filter(({ type }) => type === "child:started").length, 1);
});

test("with the stop file there already nothing is started, and it stays there [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const stopFile = join(dogs.machine.workdir, "halt");
  writeFileSync(stopFile, "");
  const touched = join(dogs.machine.workdir, "touched");
  const dog = dogs.start(["touch", touched], { WATCHDOG_STOP_FILE: stopFile });
  assert.equal((await dog.ended).code, 0);
  assert.deepEqual(
    dog.events().map(({ type }) => type),
    ["watchdog:started", "watchdog:stopped"],
  );
  assert.match(
    String(dog.events()[1]!["reason"]),
    /halt is there; it was left by an earlier stop, so nothing was started\. Remove it, then start again$/,
  );
  assert.throws(() => readFileSync(touched), { code: "ENOENT" });
  assert.equal(readFileSync(stopFile, "utf8"), "");
  rmSync(stopFile);
  assert.equal((await dogs.start(["touch", touched], { WATCHDOG_STOP_FILE: stopFile }).ended).code, 0);
  assert.equal(readFileSync(touched, "utf8"), "");
});

test("what a crashed child left in its group is ended; a task in a session of its own goes on [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const folder = join(dogs.machine.workdir, "pids");
  mkdirSync(folder);
  const long = { WATCHDOG_RESTART_BACKOFF_SECONDS: "600", WATCHDOG_MAX_BACKOFF_SECONDS: "600" };
  const dog = dogs.start(["sh", fixture("forks-grandchildren.sh"), folder], long);
  await dog.event("restart:planned");
  const [kept, detached] = ["kept", "detached"].map((name) => Number(readFileSync(join(folder, name), "utf8")));
  t.after(() => process.kill(detached!, "SIGKILL"));
  await until("the one in the group ended", () => !isRunning(kept!));
  assert.equal(isRunning(detached!), true);
  dog.child.kill("SIGTERM");
  assert.equal((await dog.ended).code, 143);
  assert.equal(isRunning(detached!), true);
});
