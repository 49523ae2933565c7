import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openMachine, type Machine, type Started } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";

const program = [join(import.meta.dirname, "..", "fixtures", "daemon", "starts-when-told.ts")];

async function startHalf(t: TestContext, machine: Machine): Promise<Started & { readonly pid: number }> {
  const daemon = machine.start([], { program, stdin: null });
  afterTest(t, async () => {
    daemon.child.kill("SIGKILL");
    await daemon.ended;
  });
  await until("it has its place", () => daemon.stdout() === "starting\n", 60_000);
  return { ...daemon, pid: daemon.child.pid! };
}

test("`serve stop` waits for a daemon that is just starting, and then stops it in order [D2]", async (t) => {
  const machine = await openMachine(t);
  const daemon = await startHalf(t, machine);
  const stop = machine.start(["serve", "stop", "--json"]);
  const sentence = `The daemon (process ${daemon.pid}) is just starting; it is stopped as soon as it answers.\n`;
  await until("it waits", () => stop.stderr() === sentence, 60_000);
  daemon.child.stdin.write("go on\n");
  const { code, stdout } = await stop.ended;
  assert.deepEqual([code, JSON.parse(stdout)], [0, { stopped: true, running: false, pid: daemon.pid }]);
  assert.equal((await daemon.ended).stdout, "starting\nordered\n");
});

test("`serve stop` ends a daemon whose start takes too long by SIGTERM [D2]", async (t) => {
  const machine = await openMachine(t);
  const daemon = await startHalf(t, machine);
  const { code, stdout } = await machine.run(["serve", "stop"]);
  assert.deepEqual([code, stdout], [0, "Stopped. Background agents go on; the next daemon watches them again.\n"]);
  assert.equal((await daemon.ended).stdout, "starting\nSIGTERM\n");
});

test("`serve status` says that a daemon is just starting, and ends with 1 [D2]", async (t) => {
  const machine = await openMachine(t);
  const { pid } = await startHalf(t, machine);
  const told = await machine.run(["serve", "status"]);
  const sentence = `The daemon for ${machine.workdir} (process ${pid}) is just starting. Ask again in a moment.\n`;
  assert.deepEqual([told.code, told.stderr], [1, sentence]);
  const { code, stdout } = await machine.run(["serve", "status", "--json"]);
  const { watchdog_status: _, ...facts } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual([code, facts], [1, { running: true, ready: false, pid, workdir: machine.workdir }]);
});
