import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeJob,
  durationOfRun,
  resumeCommand,
  summarizeLast,
  summarizeRun,
} from "../../src/cli/commands/schedule/describe-job.ts";
import type { Run } from "../../src/core/job.ts";
import { createJob } from "../../src/schedule/jobs/create-job.ts";

test("how long a run took is told of its last try, and of none that waits for one [D1]", () => {
  const took = (run: Pick<Run, "state" | "attempt" | "endedAt">): string =>
    durationOfRun({ startedAt: 1000, ...run } as Run, 9000);
  assert.equal(took({ state: "failed", attempt: 1, endedAt: 3000 }), "2 s");
  assert.equal(took({ state: "failed", attempt: 3, endedAt: 3000 }), "2 s (last try)");
  assert.equal(took({ state: "running", attempt: 2, endedAt: null }), "8 s (last try)");
  assert.equal(took({ state: "due", attempt: 2, endedAt: null }), "");
  assert.equal(took({ state: "claimed", attempt: 2, endedAt: null }), "");
  assert.equal(took({ state: "lost", attempt: 1, endedAt: null }), "");
});

test("the latest run of a job that is due later says when, and one that is due by now since when [D1]", async () => {
  const hour = 3_600_000;
  const now = 100 * hour;
  const told = (run: Partial<Run>): string => {
    const lastRun = { state: "due", endedAt: null, startedAt: null, ...run } as Run;
    return summarizeLast({ lastRun, passedOver: 0 } as Parameters<typeof summarizeLast>[0], now);
  };
  assert.equal(told({ dueAt: now + 5 * hour, startAt: now + 5 * hour }), "due in 5 h");
  // It is tried again.
  assert.equal(told({ dueAt: now - hour, startedAt: now - hour, startAt: now + 60_000 }), "due in 1 min");
  assert.equal(told({ dueAt: now - hour, startAt: now - hour }), "due 1 h");
  assert.equal(told({ dueAt: now, startAt: now }), "due now");
});

test("the command that resumes a job can be copied, whatever its name [D1]", () => {
  assert.equal(resumeCommand("nightly-2"), "`deckhand schedule resume nightly-2`");
  assert.equal(resumeCommand("it's $HOME"), String.raw`${"`"}deckhand schedule resume 'it'\''s $HOME'${"`"}`);
});

test("a run that waits for another one says for which [D1]", () => {
  const told = (run: Partial<Run>): string =>
    summarizeRun({ reason: null, summary: null, span: null, attempt: 1, ...run } as Run);
  assert.equal(told({ state: "due", waitsFor: "run_1" }), "waits for run_1 to end");
  assert.equal(
    told({ state: "due", waitsFor: "run_1", attempt: 2, reason: "x" }),
    "attempt 2; waits for run_1 to end; x",
  );
  assert.equal(told({ state: "succeeded", waitsFor: "run_1", summary: "ok" }), "ok");
});

test("a job that makes up for nothing says just that [D1]", async () => {
  const order = {
    name: "x",
    work: { kind: "prompt", prompt: "hi", model: null },
    when: { everyMs: 60_000, anchorAt: 0 },
  } as const;
  for (const missed of [{ mode: "none" }, { mode: "last", windowMs: 0 }] as const) {
    assert.match(describeJob(await createJob({ ...order, missed }, 0), []), /\n {2}missed +not made up for\n/);
  }
});
