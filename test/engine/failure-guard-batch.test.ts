import assert from "node:assert/strict";
import { test } from "node:test";
import { failing, fixing, series, workbench } from "./guard-bench.ts";

test("in a batch of the same failing call only the first three are failures, the rest is refused [P6 P3]", async () => {
  const bench = workbench();
  const batch = bench.engine.openBatch({});
  for (let left = 8; left > 0; left--) batch.add(failing);
  const executions = await batch.end();
  assert.deepEqual(
    executions.map(({ errorType, attempt }) => [errorType, attempt]),
    [[null, 1], [null, 2], [null, 3], ...Array.from({ length: 5 }, () => ["repeated_failure", 4])],
  );
  assert.equal(bench.engine.statistics(null).blockedRepeats, 5);
});

test("a change in the middle of a batch starts the count again for those behind it [P6 P3]", async () => {
  const bench = workbench();
  await series(bench, [failing, failing, failing]);
  const batch = bench.engine.openBatch({});
  for (const call of [failing, fixing, failing, failing]) batch.add(call);
  assert.deepEqual(
    (await batch.end()).map(({ errorType, attempt }) => [errorType, attempt]),
    [
      ["repeated_failure", 4],
      [null, 1],
      [null, 1],
      [null, 2],
    ],
  );
});

test("a read that ran ahead of its turn and was cancelled stays cancelled [P6 P8]", async () => {
  const bench = workbench({ limits: { maxRetry: 1 } });
  await series(bench, [failing]);
  const batch = bench.engine.openBatch({});
  batch.add(fixing);
  const ahead = batch.add(failing);
  assert.equal(bench.engine.cancel(ahead.id, "never mind"), true);
  assert.deepEqual(
    (await batch.end()).map(({ state }) => state),
    ["completed", "cancelled"],
  );
});
