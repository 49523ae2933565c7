import assert from "node:assert/strict";
import test from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { until } from "../support/runtime.ts";
import { fixture, isRunning } from "../watchdog/start-watchdog.ts";
import { serve } from "./support/serve.ts";
import { stopSoon } from "./support/stop.ts";

test("`serve stop` ends a daemon that is held and so does not answer [D2]", async (t) => {
  const machine = await openMachine(t);
  const { child, ended, pid, url } = await serve(t, machine);
  child.kill("SIGSTOP");
  const { code, told, printed } = await stopSoon(machine, { answerMs: 300, silentMs: 60_000 });
  assert.equal(code, 0, told);
  assert.match(
    told,
    new RegExp(`^deckhand: The daemon at ${url} \\(process ${pid}\\) does not answer: .+ It is ended by a signal\\.$`),
  );
  assert.match(printed, /^Stopped\./);
  assert.notEqual((await ended).signal, "SIGKILL");
});

test("`serve stop` says how to kill a daemon that takes neither the order nor SIGTERM, and ends with 1 [D2]", async (t) => {
  const machine = await openMachine(t);
  machine.env["NODE_OPTIONS"] = `--require=${fixture("spins-at-signal.cjs")}`;
  const serving = await serve(t, machine);
  const { child, pid } = serving;
  child.kill("SIGUSR2");
  await until("it spins", () => serving.stderr().includes("It spins."), 60_000);
  const { code, told } = await stopSoon(machine, { answerMs: 100, silentMs: 100 });
  const last = `deckhand: Process ${pid} was told to stop and still runs; kill -9 ${pid} ends it, and the next daemon recovers.`;
  assert.deepEqual([code, told.split("\n")[1]], [1, last]);
  assert.equal(isRunning(pid), true);
});
