import assert from "node:assert/strict";
import { test } from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { serve } from "./support/serve.ts";

test("SIGUSR1 opens no debugger to the machine, and neither that nor SIGUSR2 ends a daemon [D2, G6]", async (t) => {
  const machine = await openMachine(t);
  const daemon = await serve(t, machine);
  const { child, ask, ended } = daemon;
  child.kill("SIGUSR1");
  child.kill("SIGUSR2");
  assert.equal((await ask()).status, 200);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
  assert.doesNotMatch(daemon.stderr(), /Debugger/);
});
