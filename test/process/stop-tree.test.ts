import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import type { Clock } from "../../src/core/clock.ts";
import { identify } from "../../src/process/stop/process-identity-check.ts";
import { openProcessTable } from "../../src/process/stop/process-table.ts";
import type { ProcessTable } from "../../src/process/stop/process-table.ts";
import { stopTree } from "../../src/process/stop/stop-tree.ts";

const table = openProcessTable(process.platform);

/** Time that runs as fast as it is waited for. */
function createHastyClock(): Clock {
  let elapsed = 0;
  return {
    now: () => elapsed,
    monotonic: () => elapsed,
    after(delayMs, callback) {
      elapsed += delayMs;
      const turn = setImmediate(callback);
      return () => clearImmediate(turn);
    },
  };
}

test("what survives SIGKILL is listed after at most 10 s, and nothing is claimed to be proved [E4]", async () => {
  const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
  const root = identify(table, child.pid!)!;
  const entry = table.find(root.pid)!;
  // No test can make a process that the kernel does not end, so this one's death is kept from the code under test.
  const immortal: ProcessTable = {
    ...table,
    processIds: () => [...new Set([...table.processIds(), root.pid])],
    find: (pid) => (pid === root.pid ? entry : table.find(pid)),
    describe: (pid) => (pid === root.pid ? "sleep 300" : table.describe(pid)),
  };
  const clock = createHastyClock();
  const gone = once(child, "exit");
  const target = { marker: "DECKHAND_EXECUTION=call_immortal", root, outputPaths: new Set<string>(), namespace: null };
  const report = await stopTree(target, { table: immortal, clock, graceMs: 2000 });
  assert.deepEqual(report, { proof: "none", killed: [], survivors: [{ pid: root.pid, command: "sleep 300" }] });
  assert.ok(clock.monotonic() <= 12_500, `${clock.monotonic()} ms`);
  assert.deepEqual(await gone, [null, "SIGTERM"]);
});

test("stopping what has ended already proves just that [E4]", async () => {
  const child = spawn("true", { detached: true, stdio: "ignore" });
  const root = identify(table, child.pid!)!;
  await once(child, "exit");
  const target = { marker: "DECKHAND_EXECUTION=call_over", root, outputPaths: new Set<string>(), namespace: null };
  const report = await stopTree(target, { table, clock: createHastyClock(), graceMs: 2000 });
  assert.deepEqual(report, { proof: table.seesEnvironment ? "marker" : "group", killed: [], survivors: [] });
});
