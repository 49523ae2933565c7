import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, isRunning, openWatchdogs } from "./start-watchdog.ts";

const long = { WATCHDOG_RESTART_BACKOFF_SECONDS: "600", WATCHDOG_MAX_BACKOFF_SECONDS: "600" };
const hang = { ...long, DECKHAND_WATCHDOG_HANG_SECONDS: "0.5", DECKHAND_WATCHDOG_STOP_SECONDS: "0.3" };

test("a child that spins is noticed, and its crash record has the stack of the loop [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["node", fixture("beats-then-spins.ts")], { ...hang, DECKHAND_WATCHDOG_STOP_SECONDS: "30" });
  const hung = await dog.event("child:hung");
  assert.match(String(hung["what"]), /^It kept a processor busy \(\d+ ms of 300 ms\): a loop, or very long work\.$/);
  const end = await dog.event("child:ended");
  assert.deepEqual([end["cause"], end["signal"], end["counted"]], ["hang", "SIGINT", true]);
  await dog.event("restart:planned");
  const [crash] = dogs.crashes();
  assert.equal(crash!["hang"], hung["what"]);
  assert.match(crash!.last_lines.join("\n"), /at spinForEver \(.+beats-then-spins\.ts:\d+:\d+\)/);
});

test("a child that was held by SIGSTOP is noticed and ended [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("beats-then-stops-itself.sh")], hang);
  const { pid } = await dog.event("child:started");
  assert.match(String((await dog.event("child:hung"))["what"]), /held by a signal \(SIGSTOP\)/);
  const end = await dog.event("child:ended");
  assert.deepEqual([end["cause"], end["signal"]], ["hang", "SIGTERM"]);
  assert.equal(isRunning(Number(pid)), false);
});

test("a silent child that ignores SIGTERM is killed [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("beats-then-falls-silent.sh")], hang);
  const end = await dog.event("child:ended");
  assert.deepEqual([end["cause"], end["signal"], end["counted"]], ["hang", "SIGKILL", true]);
  await dog.event("restart:planned");
  assert.deepEqual(dogs.crashes()[0]!.last_lines, ["silent from now on"]);
});

test("a watchdog that gives up on a child that hangs ends with 1 [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const env = { ...hang, ...long, WATCHDOG_RESTART_BACKOFF_SECONDS: "0.05", WATCHDOG_MAX_RESTARTS: "1" };
  const dog = dogs.start(["sh", fixture("beats-then-stops-itself.sh")], env);
  assert.equal((await dog.ended).code, 1);
  assert.equal(dog.events().at(-1)!["reason"], "it hung, after 1 restart without a stable run");
});

test("where a heartbeat is required, a child that never beats is hung after the startup time [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const env = { ...hang, DECKHAND_WATCHDOG_STARTUP_SECONDS: "0.4", DECKHAND_WATCHDOG_HEARTBEAT: "required" };
  const dog = dogs.start(["sh", fixture("waits.sh")], env);
  assert.equal((await dog.event("child:ended"))["cause"], "hang");
});

test("a child that never beats and need not is left alone [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["sh", fixture("exits.sh"), "0", "1.5"], {
    ...hang,
    DECKHAND_WATCHDOG_STARTUP_SECONDS: "0.2",
  });
  assert.equal((await dog.ended).code, 0);
  assert.equal(
    dog.events().some(({ type }) => type === "child:hung"),
    false,
  );
});

test("time in which the watchdog was held, and its child too, makes no hang [D3]", async (t) => {
  const dogs = await openWatchdogs(t);
  const dog = dogs.start(["node", fixture("beats.ts")], { ...long, DECKHAND_WATCHDOG_HANG_SECONDS: "3" });
  const { pid } = await dog.event("child:healthy");
  process.kill(Number(pid), "SIGSTOP");
  process.kill(dog.pid, "SIGSTOP");
  // The passing of time itself is what is looked at.
  await new Promise((resolve) => setTimeout(resolve, 7000));
  process.kill(dog.pid, "SIGCONT");
  const { lost_ms: lostMs } = await dog.event("watchdog:slept");
  assert.ok(Number(lostMs) > 3000, `${Number(lostMs)}`);
  process.kill(Number(pid), "SIGCONT");
  assert.equal(isRunning(Number(pid)), true);
  dog.child.kill("SIGTERM");
  assert.equal((await dog.ended).code, 0);
  assert.equal(
    dog.events().some(({ type }) => type === "child:hung"),
    false,
  );
});
