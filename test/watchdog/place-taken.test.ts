import assert from "node:assert/strict";
import { test } from "node:test";
import { openMachine } from "../cli/run-deckhand.ts";
import { serve } from "../daemon/support/serve.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";

test("a watched daemon whose place is taken is tried again, and no tool is blamed for that [D3]", async (t) => {
  const machine = await openMachine(t);
  const first = await serve(t, machine);
  const env = { WATCHDOG_RESTART_BACKOFF_SECONDS: "0.05", WATCHDOG_MAX_BACKOFF_SECONDS: "0.05" };
  const dog = machine.start(["serve", "--watchdog", "--port", "0"], { env });
  afterTest(t, async () => {
    await machine.run(["watchdog", "stop"]);
    await dog.ended;
  });
  await until("three were refused", () => (dog.stderr().match(/exit code 69/g)?.length ?? 0) >= 6, 60_000);
  first.child.kill("SIGTERM");
  await first.ended;
  const status = await until(
    "the watched one serves",
    async () => {
      const { code, stdout } = await machine.run(["serve", "status", "--json"]);
      return code === 0 && (JSON.parse(stdout) as { ready?: boolean; safe_mode?: boolean });
    },
    60_000,
  );
  assert.equal(status.safe_mode, false, JSON.stringify(status));
  assert.doesNotMatch(dog.stderr(), /safe mode/);
  const watch = JSON.parse((await machine.run(["watchdog", "status", "--json"])).stdout) as {
    last_crash: { exit_code: number; counted: boolean };
  };
  assert.deepEqual([watch.last_crash.exit_code, watch.last_crash.counted], [69, false], JSON.stringify(watch));
});
