import assert from "node:assert/strict";
import { test } from "node:test";
import { openMachine, type Machine } from "../cli/run-deckhand.ts";
import { until } from "../support/runtime.ts";
import { serve } from "./support/serve.ts";

async function latestRun(machine: Machine): Promise<Record<string, unknown>> {
  const { stdout } = await machine.run(["schedule", "history", "--json"]);
  return (JSON.parse(stdout) as Record<string, unknown>[])[0] ?? {};
}

test("schedule run whose daemon is killed says so and what becomes of the run, instead of waiting for ever [D1]", async (t) => {
  const machine = await openMachine(t);
  const input = '{"command":"sleep 30"}';
  const added = await machine.run(["schedule", "add", "long", "--every", "1d", "--tool", "bash", "--input", input]);
  assert.equal(added.code, 0, added.stderr);
  const serving = await serve(t, machine);
  const running = machine.start(["schedule", "run", "long"]);
  await until("it runs", async () => (await latestRun(machine))["execution_id"] ?? undefined, 60_000);
  serving.child.kill("SIGKILL");
  await serving.ended;
  const { code, stderr } = await running.ended;
  const { id } = await latestRun(machine);
  assert.equal(
    stderr,
    `The daemon has ended, and nobody serves the schedule now. The run ${String(id)} of long is running: the next \`deckhand serve\` finds out what became of it.\n`,
  );
  assert.equal(code, 1);
});
