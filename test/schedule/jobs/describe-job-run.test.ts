import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../../src/core/job.ts";
import { showRun } from "../../../src/schedule/runs/settle-run.ts";
import { makeJob, makeRun } from "../../contract/make-job.ts";

const owner = { pid: 4711, startTime: "1", bootId: "boot" };
const run: Run = makeRun(makeJob(), { state: "running", startedAt: 1000, owner, fence: 1 });
const isDead = (): boolean => false;

test("a run whose process is gone is shown as lost, and one that was only claimed as due again [D1]", async () => {
  assert.deepEqual(await showRun(run, isDead), {
    ...run,
    state: "lost",
    reason: "Its process is gone, so nobody knows how far it came.",
  });
  const claimed: Run = { ...run, state: "claimed", startedAt: null };
  assert.deepEqual(await showRun(claimed, isDead), { ...claimed, state: "due", owner: null });
});

test("a run is shown as it is kept while its process lives, or nobody can tell, or its task goes on by itself [D1]", async () => {
  assert.equal(await showRun(run, () => true), run);
  const unheard = (): Promise<boolean> => Promise.reject(new Error("The database does not answer."));
  assert.equal(await showRun(run, unheard), run);
  for (const other of [
    { ...run, taskId: "task_1" },
    { ...run, owner: null },
    { ...run, state: "succeeded", endedAt: 2000 },
  ] satisfies Run[]) {
    assert.equal(await showRun(other, isDead), other);
  }
});
